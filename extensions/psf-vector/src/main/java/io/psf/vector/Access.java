package io.psf.vector;

import static java.lang.invoke.MethodHandles.dropArguments;
import static java.lang.invoke.MethodHandles.insertArguments;
import static java.lang.invoke.MethodHandles.permuteArguments;
import static java.lang.invoke.MethodType.methodType;

import io.psf.api.array.ArrayMemory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/**
 * How vectors access memory off the heap. On JDK 22 and later the memory is a segment. On JDK 17 the Vector API reads
 * byte buffers, and reads and checks their bounds at each access, which takes as long as the rest of a formula. There
 * the memory is a buffer, and the JDK's own functions of vectors access its address. JDK 18 to 21 have neither: the
 * functions differ, and segments are a preview feature.
 *
 * @param memory (ByteBuffer) to the memory
 * @param address (ByteBuffer) to its address; 0 for a segment
 * @param slice (memory, begin, n) to a view of n elements, within which accesses are checked; null if they are not
 * @param load (position in bytes, memory, element) to a vector
 * @param store (position in bytes, vector, memory, element) to nothing
 */
@SuppressWarnings("UnusedMethod") // some methods are found by their names
record Access(
        MethodHandle memory,
        MethodHandle address,
        @Nullable MethodHandle slice,
        MethodHandle load,
        MethodHandle store) {
    /** The functions that the JIT of JDK 17 compiles to one instruction. */
    private static final String SUPPORT = "jdk.internal.vm.vector.VectorSupport";

    private static final String FLAG = "--add-exports=java.base/jdk.internal.vm.vector=ALL-UNNAMED";

    private static final VectorSpecies<Float> SPECIES = Floats.SPECIES;

    /** Throws {@link LinkageError} if this JVM has no access. */
    static Access ofThisJdk() {
        int release = Runtime.version().feature();
        if (release != 17 && release < 22) {
            throw new LinkageError("psf-vector: JDK " + release + " (expected: 17, or 22 and later)");
        }
        try {
            return release == 17 ? toAddresses(MethodHandles.lookup()) : toSegments(MethodHandles.lookup());
        } catch (IllegalAccessException e) {
            throw new LinkageError("psf-vector: the JVM was started without " + FLAG, e);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("psf-vector: not for this JDK's vectors: " + e.getMessage(), e);
        }
    }

    private static Access toSegments(Lookup lookup) throws ReflectiveOperationException {
        Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
        MethodHandle of = lookup.findStatic(segment, "ofBuffer", methodType(segment, Buffer.class));
        MethodHandle bytes = lookup.findStatic(Access.class, "bytes", methodType(long.class, int.class));
        MethodHandle slice = lookup.findVirtual(segment, "asSlice", methodType(segment, long.class, long.class));
        MethodHandle load = lookup.findStatic(
                FloatVector.class,
                "fromMemorySegment",
                methodType(FloatVector.class, VectorSpecies.class, segment, long.class, ByteOrder.class));
        MethodHandle store = lookup.findVirtual(
                FloatVector.class, "intoMemorySegment", methodType(void.class, segment, long.class, ByteOrder.class));
        load = insertArguments(insertArguments(load, 3, ByteOrder.LITTLE_ENDIAN), 0, SPECIES);
        store = insertArguments(store, 3, ByteOrder.LITTLE_ENDIAN);
        return of(
                of,
                dropArguments(MethodHandles.constant(long.class, 0L), 0, ByteBuffer.class),
                MethodHandles.filterArguments(slice, 1, bytes, bytes),
                permuteArguments(load, methodType(FloatVector.class, long.class, segment, int.class), 1, 0),
                permuteArguments(
                        store, methodType(void.class, long.class, FloatVector.class, segment, int.class), 1, 2, 0));
    }

    private static long bytes(int elements) {
        return (long) Float.BYTES * elements;
    }

    private static Access toAddresses(Lookup lookup) throws ReflectiveOperationException {
        Class<?> support = Class.forName(SUPPORT);
        Class<?> species = Class.forName(SUPPORT + "$VectorSpecies");
        Class<?> vector = Class.forName(SUPPORT + "$Vector");
        Class<?> plainLoad = Class.forName(SUPPORT + "$LoadOperation");
        Class<?> plainStore = Class.forName(SUPPORT + "$StoreVectorOperation");
        // (vector, element, lanes, base, position, container, index, species, operation) to the vector
        MethodHandle load = lookup.findStatic(
                support,
                "load",
                methodType(Object.class, Class.class, Class.class, int.class, Object.class, long.class)
                        .appendParameterTypes(Object.class, int.class, species, plainLoad));
        // (vector, element, lanes, base, position, vector, container, index, operation) to nothing
        MethodHandle store = lookup.findStatic(
                support,
                "store",
                methodType(void.class, Class.class, Class.class, int.class, Object.class, long.class)
                        .appendParameterTypes(vector, Object.class, int.class, plainStore));
        MethodHandle loadPlainly = lookup.findStatic(
                Access.class, "loadPlainly", methodType(Object.class, Object.class, int.class, Object.class));
        MethodHandle storePlainly = lookup.findStatic(
                Access.class, "storePlainly", methodType(void.class, Object.class, int.class, Object.class));
        load = insertArguments(load, 7, SPECIES, MethodHandleProxies.asInterfaceInstance(plainLoad, loadPlainly));
        store = insertArguments(store, 8, MethodHandleProxies.asInterfaceInstance(plainStore, storePlainly));
        return of(
                MethodHandles.identity(ByteBuffer.class),
                lookup.findStatic(ArrayMemory.class, "address", methodType(long.class, Buffer.class)),
                null,
                insertArguments(load, 0, SPECIES.vectorType(), float.class, SPECIES.length(), null),
                insertArguments(store, 0, SPECIES.vectorType(), float.class, SPECIES.length(), null));
    }

    /** The interpreter calls this in place of the instruction. */
    @SuppressWarnings("UnusedVariable")
    private static Object loadPlainly(Object memory, int element, Object species) {
        float[] lanes = new float[SPECIES.length()];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = ((ByteBuffer) memory).getFloat(Float.BYTES * (element + i));
        }
        return FloatVector.fromArray(SPECIES, lanes, 0);
    }

    private static void storePlainly(Object memory, int element, Object vector) {
        float[] lanes = ((FloatVector) vector).toArray();
        for (int i = 0; i < lanes.length; i++) {
            ((ByteBuffer) memory).putFloat(Float.BYTES * (element + i), lanes[i]);
        }
    }

    private static Access of(
            MethodHandle memory,
            MethodHandle address,
            @Nullable MethodHandle slice,
            MethodHandle load,
            MethodHandle store) {
        return new Access(
                memory.asType(methodType(Object.class, ByteBuffer.class)),
                address.asType(methodType(long.class, ByteBuffer.class)),
                slice == null ? null : slice.asType(methodType(Object.class, Object.class, int.class, int.class)),
                load.asType(methodType(FloatVector.class, long.class, Object.class, int.class)),
                store.asType(methodType(void.class, long.class, FloatVector.class, Object.class, int.class)));
    }
}
