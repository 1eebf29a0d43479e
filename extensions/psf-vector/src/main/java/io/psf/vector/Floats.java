package io.psf.vector;

import static java.lang.invoke.MethodType.methodType;

import io.psf.api.array.ArrayMemory;
import io.psf.api.array.FloatArray;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/**
 * Off-heap float32 memory, read and written by vectors. Vectors access byte buffers on JDK 17 and 18, and memory
 * segments on JDK 22 and later: method handles, which the JIT inlines since they are constants, call the methods that
 * this JDK has.
 */
final class Floats {
    static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;

    /** (ByteBuffer) to the memory of a {@link Floats}. */
    private static final MethodHandle OF;

    /**
     * (memory, begin, n) to a view of n elements; null for byte buffers. JDK 17 makes an object for each slice of a byte
     * buffer, which takes longer than the checks of the bounds that it saves.
     */
    private static final @Nullable MethodHandle SLICE;

    /** (memory, i) to a vector; (vector, memory, i) to nothing. */
    private static final MethodHandle LOAD, STORE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            int release = Runtime.version().feature();
            Class<?> memory;
            String suffix;
            MethodHandle of;
            MethodHandle slice = null;
            MethodHandle offset;
            if (release >= 22) {
                memory = Class.forName("java.lang.foreign.MemorySegment");
                suffix = "MemorySegment";
                of = lookup.findStatic(memory, "ofBuffer", methodType(memory, Buffer.class));
                offset = lookup.findStatic(Floats.class, "longOffset", methodType(long.class, int.class));
                slice = MethodHandles.filterArguments(
                                lookup.findVirtual(memory, "asSlice", methodType(memory, long.class, long.class)),
                                1,
                                offset,
                                offset)
                        .asType(methodType(Object.class, Object.class, int.class, int.class));
            } else if (release <= 18) {
                memory = ByteBuffer.class;
                suffix = "ByteBuffer";
                of = MethodHandles.identity(memory);
                offset = lookup.findStatic(Floats.class, "intOffset", methodType(int.class, int.class));
            } else {
                throw new LinkageError("psf-vector: JDK " + release + " (expected: 17, 18, or 22 and later)");
            }
            Class<?> index = offset.type().returnType();
            MethodHandle load = MethodHandles.insertArguments(
                    lookup.findStatic(
                            FloatVector.class,
                            "from" + suffix,
                            methodType(FloatVector.class, VectorSpecies.class, memory, index, ByteOrder.class)),
                    0,
                    SPECIES);
            MethodHandle store = lookup.findVirtual(
                    FloatVector.class, "into" + suffix, methodType(void.class, memory, index, ByteOrder.class));
            OF = of.asType(methodType(Object.class, ByteBuffer.class));
            SLICE = slice;
            LOAD = MethodHandles.filterArguments(
                            MethodHandles.insertArguments(load, 2, ByteOrder.LITTLE_ENDIAN), 1, offset)
                    .asType(methodType(FloatVector.class, Object.class, int.class));
            STORE = MethodHandles.filterArguments(
                            MethodHandles.insertArguments(store, 3, ByteOrder.LITTLE_ENDIAN), 2, offset)
                    .asType(methodType(void.class, FloatVector.class, Object.class, int.class));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("psf-vector: not for this JDK's vectors: " + e.getMessage(), e);
        }
    }

    private final Object memory;
    /** The element of the memory that is element 0; 0 in segments. */
    private final int begin;

    private Floats(Object memory, int begin) {
        this.memory = memory;
        this.begin = begin;
    }

    private static long longOffset(int i) {
        return (long) Float.BYTES * i;
    }

    private static int intOffset(int i) {
        return Float.BYTES * i;
    }

    /** Returns the memory of an array; null if the array is on the heap. */
    static @Nullable Floats of(FloatArray array) {
        ByteBuffer bytes = ArrayMemory.offHeap(array); // the caller of a kernel marks what it steps
        if (bytes == null) {
            return null;
        }
        try {
            return new Floats((Object) OF.invokeExact(bytes), 0);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** Returns n elements from {@code begin} on; a view. */
    Floats part(int begin, int n) {
        if (SLICE == null) {
            return new Floats(memory, this.begin + begin);
        }
        try {
            return new Floats((Object) SLICE.invokeExact(memory, begin, n), 0);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** Loads the vector that starts at element i. */
    FloatVector load(int i) {
        try {
            return (FloatVector) LOAD.invokeExact(memory, begin + i);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** Stores a vector at element i. */
    void store(int i, FloatVector vector) {
        try {
            STORE.invokeExact(vector, memory, begin + i);
        } catch (Throwable e) {
            throw unchecked(e);
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
