package io.psf.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives an optimizer the name by which a tensor's spec selects it. Servers find the class on their class path. The
 * class is a formula ({@code io.psf.builtin.optimizer.Kernel}) or an {@link Optimizer}. The parameters of its
 * constructor are the named arguments of the spec: each a float, double, int, long, boolean or String.
 *
 * <pre>{@code
 * @PsOptimizer("acme.sign")
 * public record Sign(float lr) implements Kernel {
 *     @Override
 *     public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
 *         for (int i = begin; i < end; i++) {
 *             w[i] -= lr * Math.signum(g[i]);
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>On a class, it stands for its only public constructor; of a record, for the canonical one. On a constructor, it
 * stands for that one.
 */
@Documented
@Target({ElementType.TYPE, ElementType.CONSTRUCTOR})
@Retention(RetentionPolicy.RUNTIME)
public @interface PsOptimizer {
    /**
     * The name: dotted lower case, such as {@code acme.sign}. Names that begin with {@code psf.} belong to psf. Two
     * optimizers of the same name on a server's class path are an error.
     */
    String value();
}
