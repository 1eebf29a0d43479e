package io.psf.api.array;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.nio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of direct buffers: of {@code java.lang.foreign} where the JDK has it, which is from version 22 on, else
 * of {@code sun.misc.Unsafe}. The handles are constants, which the JIT inlines.
 */
final class Addresses {
    /** (Buffer) to the address of its first element; null if this JVM tells no addresses. */
    private static final @Nullable MethodHandle OF;

    /** (address) to the int there; null on JDK 22 and later, which would warn. */
    private static final @Nullable MethodHandle WORD;

    static {
        MethodHandle of = null;
        MethodHandle word = null;
        try {
            if (Runtime.version().feature() >= 22) { // a preview before
                of = ofSegment();
            } else {
                Class<?> type = Class.forName("sun.misc.Unsafe");
                Field instance = type.getDeclaredField("theUnsafe");
                instance.setAccessible(true);
                Object unsafe = instance.get(null);
                of = ofField(type, unsafe);
                word = MethodHandles.publicLookup()
                        .findVirtual(type, "getInt", methodType(int.class, long.class))
                        .bindTo(unsafe);
            }
        } catch (ReflectiveOperationException | RuntimeException e) {
            // none
        }
        OF = of;
        WORD = word;
    }

    private Addresses() {}

    private static MethodHandle ofSegment() throws ReflectiveOperationException {
        Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        MethodHandle duplicate = lookup.findVirtual(Buffer.class, "duplicate", methodType(Buffer.class));
        MethodHandle cleared = lookup.findVirtual(Buffer.class, "clear", methodType(Buffer.class));
        MethodHandle ofBuffer = lookup.findStatic(segment, "ofBuffer", methodType(segment, Buffer.class));
        MethodHandle address = lookup.findVirtual(segment, "address", methodType(long.class));
        return MethodHandles.filterReturnValue(
                MethodHandles.filterReturnValue(MethodHandles.filterReturnValue(duplicate, cleared), ofBuffer),
                address);
    }

    private static MethodHandle ofField(Class<?> type, Object unsafe) throws ReflectiveOperationException {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        long offset = (long) type.getMethod("objectFieldOffset", Field.class)
                .invoke(unsafe, Buffer.class.getDeclaredField("address"));
        MethodHandle read = lookup.findVirtual(type, "getLong", methodType(long.class, Object.class, long.class));
        return MethodHandles.insertArguments(read.bindTo(unsafe), 1, offset)
                .asType(methodType(long.class, Buffer.class));
    }

    /**
     * Returns the address of the first element of a direct buffer, regardless of its position; 0 if it is not known.
     */
    static long of(Buffer buffer) {
        if (OF == null || !buffer.isDirect()) {
            return 0;
        }
        try {
            return (long) OF.invokeExact(buffer);
        } catch (Throwable e) {
            return 0;
        }
    }

    /** True if {@link #word} reads: a read through a buffer takes more instructions on these JDKs. */
    static boolean canBeRead() {
        return WORD != null;
    }

    /** Reads an int. The caller has checked the address. */
    static int word(long address) {
        if (WORD == null) {
            throw new UnsupportedOperationException("reads by address (expected: a JDK before 22)");
        }
        try {
            return (int) WORD.invokeExact(address);
        } catch (Throwable e) {
            throw new IllegalStateException("sun.misc.Unsafe: " + e, e);
        }
    }
}
