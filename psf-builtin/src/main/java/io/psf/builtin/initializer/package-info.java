/**
 * Initial values as pure functions of a seed and an element's index. Imports psf-api only.
 *
 * <p>The generators are records, so that a {@link io.psf.builtin.initializer.GeneratingShard} can compute the same
 * values, bit by bit, in another memory. Their formulas use these functions, with Java's arithmetic: 64-bit integers
 * that wrap around, and doubles without fused multiply-add.
 *
 * <pre>{@code
 * GAMMA      = 0x9E3779B97F4A7C15
 * mix(z)     = y ^ (y >>> 31), y = (x ^ (x >>> 27)) * 0x94D049BB133111EB, x = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9
 * key        = mix(seed + GAMMA)
 * u(e, draw) = ((mix(mix(key + (e + 1) * GAMMA) + (draw + 1) * GAMMA) >>> 12) + 0.5) * 2^-52, of element e, in (0, 1)
 * q(p)       = the quantile of the standard normal distribution: algorithm AS 241, PPND16 (Wichura, Applied Statistics
 *              37, 1988, pages 477 to 484), polynomials by Horner's rule, the logarithm of fdlibm
 * clamp(x)   = max(least, min(greatest, (float) x))
 * }</pre>
 */
@NullMarked
package io.psf.builtin.initializer;

import org.jspecify.annotations.NullMarked;
