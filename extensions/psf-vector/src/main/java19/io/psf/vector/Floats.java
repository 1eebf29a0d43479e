package io.psf.vector;

import io.psf.api.array.FloatArray;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/** Replaces the other variants on JDK 19 to 21, where vectors access off-heap memory only with preview features. */
final class Floats {
    static final VectorSpecies<Float> SPECIES = missing();

    private Floats() {}

    private static VectorSpecies<Float> missing() {
        throw new LinkageError(
                "psf-vector: built with JDK " + Runtime.version().feature() + " (expected: 17, 18, or 22 and later)");
    }

    static @Nullable Floats of(FloatArray array) {
        throw new AssertionError(missing());
    }

    Floats part(int begin, int n) {
        throw new AssertionError(missing());
    }

    FloatVector load(int i) {
        throw new AssertionError(missing());
    }

    void store(int i, FloatVector vector) {
        throw new AssertionError(missing());
    }
}
