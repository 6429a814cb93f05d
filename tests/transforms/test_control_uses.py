"""Control flow at work: an orbit by scan, a gas by while_loop, a path through phases by switch."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import dimflow
from dimflow import DimArray, grad, vmap
from dimflow import units as u

jax.config.update("jax_enable_x64", True)

MU = DimArray(398600.4418, "km**3/s**2")  # of the earth, IERS Conventions 2010


def slope(state: Any) -> Any:
    r, v = state["r"], state["v"]
    return {"r": v, "v": -MU * r / dimflow.sum(r * r) ** 1.5}


def moved(state: Any, change: Any, dt: Any) -> Any:
    return {name: state[name] + dt * change[name] for name in state}


def runge_kutta(state: Any, dt: Any) -> Any:
    k1 = slope(state)
    k2 = slope(moved(state, k1, dt / 2))
    k3 = slope(moved(state, k2, dt / 2))
    k4 = slope(moved(state, k3, dt))
    mean = {n: (k1[n] + 2 * k2[n] + 2 * k3[n] + k4[n]) / 6 for n in state}
    return moved(state, mean, dt), state


def launched(make: Any, speed: Any) -> Any:
    still = 0 * speed
    return {"r": DimArray(make([7000.0, 0.0]), "km"), "v": dimflow.stack([still, speed])}


@pytest.mark.parametrize("make", [np.asarray, jnp.asarray], ids=["numpy", "jax"])
def test_an_orbit_comes_back_after_the_time_that_kepler_says(make: Any) -> None:
    start = launched(make, DimArray(make(8.0), "km/s"))
    energy = (start["v"][1] ** 2 / 2 - MU / (7000 * u.km)).to("km**2/s**2")
    half_axis = -MU / (2 * energy)
    period = (2 * np.pi * dimflow.sqrt(half_axis**3 / MU)).to("h")
    steps = dimflow.full(400, 1.0) * period / 400
    end, path = dimflow.scan(runge_kutta, start, steps)
    np.testing.assert_allclose(np.asarray(end["r"].data), [7000.0, 0.0], atol=0.05)
    np.testing.assert_allclose(np.asarray(end["v"].data), [0.0, 8.0], atol=5e-5)
    kinetic = dimflow.sum(path["v"] ** 2, axis=1) / 2
    potential = -MU / dimflow.sqrt(dimflow.sum(path["r"] ** 2, axis=1))
    drift = (kinetic + potential) / energy - 1
    assert float(dimflow.max(abs(drift))) < 1e-6


def test_the_gradient_of_an_orbit_is_that_of_another_integrator() -> None:
    def rates(t: float, s: Any) -> list[float]:
        pull = -MU.data / np.hypot(*s[:2]) ** 3
        return [s[2], s[3], pull * s[0], pull * s[1]]

    def height(speed: float) -> float:
        found = solve_ivp(rates, (0, 3000), [7000, 0, 0, speed], "DOP853", rtol=1e-12, atol=1e-9)
        return float(found.y[1, -1])

    def ours(speed: Any, **options: Any) -> Any:
        steps = np.full(300, 10.0) * u.s
        return dimflow.scan(runge_kutta, launched(np.asarray, speed), steps, **options)[0]["r"][1]

    wanted = (height(7.501) - height(7.499)) / 0.002
    for options in ({}, {"checkpoint": True}, {"checkpoint": 7}):
        found = grad(lambda v, options=options: ours(v, **options))(7.5 * u.km / u.s)
        assert found.dimension is (u.s).dimension
        np.testing.assert_allclose(found.to_numpy("s"), wanted, rtol=1e-5)


A, B = DimArray(0.3640, "Pa*m**6/mol**2"), DimArray(4.267e-5, "m**3/mol")
RT = DimArray(8.314462618, "J/(mol*K)") * DimArray(300.0, "K")


def excess(v: Any, pressure: Any) -> Any:
    return RT / (v - B) - A / v**2 - pressure


def volume(pressure: Any) -> Any:
    def newton(v: Any) -> Any:
        return v - excess(v, pressure) / grad(excess)(v, pressure)

    def is_far(v: Any) -> Any:
        return abs(excess(v, pressure)) > 1e-10 * pressure

    return dimflow.while_loop(is_far, newton, (RT / pressure).to("L/mol"))


def test_newtons_method_for_a_gas() -> None:
    pressures = [1.0, 20.0, 40.0]
    rt, a, b = 8.314462618 * 300, 0.3640, 4.267e-5

    def wanted(bar: float) -> float:
        return brentq(lambda v: rt / (v - b) - a / v**2 - bar * 1e5, 3e-4, 3e-2, xtol=1e-18)

    roots = np.array([wanted(p) for p in pressures])
    slopes = 1 / (-rt / (roots - b) ** 2 + 2 * a / roots**3)  # by implicit differentiation
    found = vmap(volume)(DimArray(pressures, "bar"))
    np.testing.assert_allclose(found.to_numpy("m**3/mol"), roots, rtol=1e-9)
    by_pressure = vmap(grad(volume))(DimArray(pressures, "bar"))
    np.testing.assert_allclose(by_pressure.to_numpy("m**3/(mol*Pa)"), slopes, rtol=1e-6)
    one = grad(volume, engine="own")(DimArray(jnp.asarray(20.0), "bar"))
    np.testing.assert_allclose(one.to("m**3/(mol*Pa)").data, slopes[1], rtol=1e-6)


def test_heating_ice_through_its_phases() -> None:
    """Which law holds depends on the energy taken up: three branches, in a batch, with points."""
    c_ice, c_water = DimArray(2.1, "kJ/(kg*K)"), DimArray(4.2, "kJ/(kg*K)")
    fusion = DimArray(334.0, "kJ/kg")
    cold, melting = DimArray(-10.0, "degC"), DimArray(0.0, "degC")
    warmed = c_ice * DimArray(10.0, "K")

    def temperature(heat: Any) -> Any:
        phase = dimflow.astype(heat > warmed, "int64") + dimflow.astype(
            heat > warmed + fusion, "int64"
        )
        return dimflow.switch(
            phase,
            [
                lambda h: cold + (h / c_ice).to("delta_degC"),
                lambda h: melting + (0 * h / c_ice).to("delta_degC"),
                lambda h: (melting + ((h - warmed - fusion) / c_water).to("delta_degC")).to("K"),
            ],
            heat,
        )

    heats = DimArray([0.0, 10.5, 100.0, 355.0 + 42.0], "kJ/kg")
    found = vmap(temperature)(heats)
    assert str(found.unit) == "degC"
    np.testing.assert_allclose(found.data, [-10.0, -5.0, 0.0, 10.0], atol=1e-9)
    slopes = vmap(grad(temperature))(heats[1:])
    np.testing.assert_allclose(slopes.to_numpy("K*kg/kJ"), [1 / 2.1, 0.0, 1 / 4.2], atol=1e-12)
