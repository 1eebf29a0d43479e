package io.psf.vector;

import io.psf.api.array.FloatArray;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/** Float32 off the heap, read and written a vector at a time. Of JDK 17 and 18, whose vectors see byte buffers. */
final class Floats {
    static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;

    private final ByteBuffer bytes;

    private Floats(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    /** The memory of an array; null if it lies on the heap. */
    static @Nullable Floats of(FloatArray array) {
        ByteBuffer bytes = array.offHeap();
        return bytes == null ? null : new Floats(bytes);
    }

    /** The n elements from one on. */
    Floats part(int begin, int n) {
        return new Floats(bytes.slice(Float.BYTES * begin, Float.BYTES * n));
    }

    /** The vector that begins with element i. */
    FloatVector load(int i) {
        return FloatVector.fromByteBuffer(SPECIES, bytes, Float.BYTES * i, ByteOrder.LITTLE_ENDIAN);
    }

    /** Stores a vector from element i on. */
    void store(int i, FloatVector vector) {
        vector.intoByteBuffer(bytes, Float.BYTES * i, ByteOrder.LITTLE_ENDIAN);
    }
}
