package io.psf.gpu.driver;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of direct buffers: of {@code java.lang.foreign} where the JDK has it, which is from version 22 on, else
 * of {@code sun.misc.Unsafe}.
 */
final class Addresses {
    /** (Buffer) to long; null if this JVM tells no addresses. */
    private static final @Nullable MethodHandle OF = find();

    private Addresses() {}

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

    private static @Nullable MethodHandle find() {
        MethodHandle found = inForeignMemory();
        return found != null ? found : inField();
    }

    private static @Nullable MethodHandle inForeignMemory() {
        if (Runtime.version().feature() < 22) { // a preview before
            return null;
        }
        try {
            Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            MethodHandle ofBuffer =
                    lookup.findStatic(segment, "ofBuffer", MethodType.methodType(segment, Buffer.class));
            MethodHandle address = lookup.findVirtual(segment, "address", MethodType.methodType(long.class));
            MethodHandle cleared =
                    lookup.findVirtual(Buffer.class, "clear", MethodType.methodType(Buffer.class)); // of a duplicate
            MethodHandle duplicate = lookup.findVirtual(Buffer.class, "duplicate", MethodType.methodType(Buffer.class));
            return MethodHandles.filterReturnValue(
                    MethodHandles.filterReturnValue(MethodHandles.filterReturnValue(duplicate, cleared), ofBuffer),
                    address);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    private static @Nullable MethodHandle inField() {
        try {
            Class<?> type = Class.forName("sun.misc.Unsafe");
            Field field = type.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            Object unsafe = field.get(null);
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            long offset = (long) type.getMethod("objectFieldOffset", Field.class)
                    .invoke(unsafe, Buffer.class.getDeclaredField("address"));
            MethodHandle read = lookup.unreflect(type.getMethod("getLong", Object.class, long.class))
                    .bindTo(unsafe);
            return MethodHandles.insertArguments(read, 1, offset)
                    .asType(MethodType.methodType(long.class, Buffer.class));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }
}
