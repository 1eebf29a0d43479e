package io.psf.builtin;

import io.psf.api.PsInitializer;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.ServiceClassPath;
import io.psf.builtin.initializer.Generator;
import io.psf.builtin.internal.named.NamedClasses;
import java.io.Serializable;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The initial values of a tensor. Each value is a function of the arguments and of the element's index in the whole
 * tensor, so the values are the same on any number of servers; or it is given by the worker. Created by
 * {@link Initializers}.
 *
 * @param name the initializer's name, by which servers find it on their class path
 * @param arguments its arguments by name, as texts
 * @param values [rows, width] float32, the values themselves; null if servers generate them
 */
public record Initializer(
        String name,
        Map<String, String> arguments,
        @Nullable FloatArray values) implements Serializable {
    /** The form in which an initializer is written: with a copy of its values. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Written(String name, TreeMap<String, String> arguments, float @Nullable [] values)
            implements Serializable {
        private Object readResolve() {
            return new Initializer(name, arguments, values == null ? null : FloatArray.wrap(values));
        }
    }

    /**
     * Checks the arguments, if the initializer is on the class path here. Throws {@link IllegalArgumentException} if
     * one is unknown, missing, or out of range.
     */
    public Initializer {
        arguments = Collections.unmodifiableMap(new TreeMap<>(arguments));
        NamedClasses here = here();
        if (here.find(name).isPresent()) {
            var unused = here.create(Generator.class, name, arguments);
        }
    }

    private Object writeReplace() {
        return new Written(name, new TreeMap<>(arguments), values == null ? null : values.toArray());
    }

    private static NamedClasses here() {
        return NamedClasses.on(ServiceClassPath.of(Initializer.class), PsInitializer.class);
    }

    /**
     * Sets the values of a whole tensor on this worker. The initializer must be on the class path here.
     *
     * @param into [rows, width] float32, zeros
     */
    void fill(float[] into) {
        FloatArray whole = FloatArray.wrap(into);
        if (values != null) {
            whole.copyFrom(values);
        } else {
            here().create(Generator.class, name, arguments).fill(whole, 0);
        }
    }

    /** Returns the name with the arguments, such as {@code psf.uniform(a=-0.5, b=0.5, seed=7)}. */
    @Override
    public String toString() {
        return NamedClasses.text(name, arguments);
    }
}
