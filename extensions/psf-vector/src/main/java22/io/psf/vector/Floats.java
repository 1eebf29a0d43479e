package io.psf.vector;

import io.psf.api.array.FloatArray;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/** Off-heap float32 memory, read and written by vectors. For JDK 22 and later, whose vectors access memory segments. */
final class Floats {
    static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;

    private final MemorySegment bytes;

    private Floats(MemorySegment bytes) {
        this.bytes = bytes;
    }

    /** Returns the memory of an array; null if the array is on the heap. */
    static @Nullable Floats of(FloatArray array) {
        ByteBuffer bytes = array.offHeap();
        return bytes == null ? null : new Floats(MemorySegment.ofBuffer(bytes));
    }

    /** Returns n elements from {@code begin} on; a view. */
    Floats part(int begin, int n) {
        return new Floats(bytes.asSlice((long) Float.BYTES * begin, (long) Float.BYTES * n));
    }

    /** Loads the vector that starts at element i. */
    FloatVector load(int i) {
        return FloatVector.fromMemorySegment(SPECIES, bytes, (long) Float.BYTES * i, ByteOrder.LITTLE_ENDIAN);
    }

    /** Stores a vector at element i. */
    void store(int i, FloatVector vector) {
        vector.intoMemorySegment(bytes, (long) Float.BYTES * i, ByteOrder.LITTLE_ENDIAN);
    }
}
