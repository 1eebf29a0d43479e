package io.psf.vector;

import io.psf.api.array.ArrayMemory;
import io.psf.api.array.FloatArray;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Objects;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/** Off-heap float32 memory, read and written by vectors, as {@link Access} says. */
final class Floats {
    static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;

    /** Method handles, which the JIT inlines since they are constants. */
    private static final MethodHandle MEMORY, ADDRESS, LOAD, STORE;

    private static final @Nullable MethodHandle SLICE;

    static {
        Access access = Access.ofThisJdk();
        MEMORY = access.memory();
        ADDRESS = access.address();
        SLICE = access.slice();
        LOAD = access.load();
        STORE = access.store();
    }

    private final Object memory;
    /** The address of the memory; 0 for a segment. */
    private final long address;
    /** The element of the memory that is element 0; 0 in a segment. */
    private final int begin;

    private final int length;

    private Floats(Object memory, long address, int begin, int length) {
        this.memory = memory;
        this.address = address;
        this.begin = begin;
        this.length = length;
    }

    private long position(int i) {
        return address + (long) Float.BYTES * (begin + i);
    }

    /** Returns the memory of an array; null if the array is on the heap, or its address is not known. */
    static @Nullable Floats of(FloatArray array) {
        ByteBuffer bytes = ArrayMemory.offHeap(array); // the caller of a kernel marks what it steps
        if (bytes == null) {
            return null;
        }
        try {
            long address = (long) ADDRESS.invokeExact(bytes);
            return SLICE == null && address == 0
                    ? null
                    : new Floats((Object) MEMORY.invokeExact(bytes), address, 0, array.length());
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /**
     * Returns n elements from {@code begin} on; a view. Accesses by address are checked here, and nowhere else.
     *
     * @throws IndexOutOfBoundsException if there are fewer elements
     */
    Floats part(int begin, int n) {
        if (SLICE == null) {
            var unused = Objects.checkFromIndexSize(begin, n, length);
            return new Floats(memory, address, this.begin + begin, n);
        }
        try {
            return new Floats((Object) SLICE.invokeExact(memory, begin, n), 0, 0, n);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** Loads the vector that starts at element i. */
    FloatVector load(int i) {
        try {
            return (FloatVector) LOAD.invokeExact(position(i), memory, begin + i);
        } catch (Throwable e) {
            throw unchecked(e);
        } finally {
            Reference.reachabilityFence(memory);
        }
    }

    /** Stores a vector at element i. */
    void store(int i, FloatVector vector) {
        try {
            STORE.invokeExact(position(i), vector, memory, begin + i);
        } catch (Throwable e) {
            throw unchecked(e);
        } finally {
            Reference.reachabilityFence(memory);
        }
    }

    /** The methods behind the handles throw unchecked exceptions alone. */
    private static RuntimeException unchecked(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return (RuntimeException) e;
    }
}
