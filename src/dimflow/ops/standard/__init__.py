"""How ops reach the functions of the array API standard, in any library that has them."""
