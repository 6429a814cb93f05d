"""Coefficients of asymptotic series, for definitions and for kernels that need the same."""

ROOT_OF_DIGAMMA = 1.4616321449683622, 9.549995429965697e-17  # its double and the rest
# B(2k) / (2k (2k - 1)) and B(2k) / 2k, highest k first
STIRLING = (
    -3617 / 122400,
    1 / 156,
    -691 / 360360,
    1 / 1188,
    -1 / 1680,
    1 / 1260,
    -1 / 360,
    1 / 12,
)
HARMONIC = (-3617 / 8160, 1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12)
ZETA = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000)
