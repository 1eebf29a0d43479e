package io.psf.runtime.internal.store;

import io.psf.api.PsException;
import io.psf.runtime.spi.store.NativeStore;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * Native memory of {@code sun.misc.Unsafe}. A direct buffer of the JDK's own would count against {@code
 * -XX:MaxDirectMemorySize}, and its pages are written to when it is made, so that capacity could not be reserved. The
 * calls are method handles: the compiler's warning about the class cannot be disabled.
 */
final class JdkMemory {
    private static final MethodHandle ALLOCATE;
    private static final MethodHandle FREE;
    private static final MethodHandle FILL;
    private static final MethodHandle PUT_LONG;
    private static final MethodHandle PUT_INT;
    private static final long ADDRESS;
    private static final long CAPACITY;

    static {
        try {
            Class<?> type = Class.forName("sun.misc.Unsafe");
            Field field = type.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            Object unsafe = field.get(null);
            ALLOCATE = method(unsafe, "allocateMemory", long.class);
            FREE = method(unsafe, "freeMemory", long.class);
            FILL = method(unsafe, "setMemory", long.class, long.class, byte.class);
            PUT_LONG = method(unsafe, "putLong", Object.class, long.class, long.class);
            PUT_INT = method(unsafe, "putInt", Object.class, long.class, int.class);
            MethodHandle offset = method(unsafe, "objectFieldOffset", Field.class);
            ADDRESS = (long) offset.invoke(Buffer.class.getDeclaredField("address"));
            CAPACITY = (long) offset.invoke(Buffer.class.getDeclaredField("capacity"));
        } catch (Throwable e) {
            throw new LinkageError("sun.misc.Unsafe: " + e, e);
        }
    }

    private static MethodHandle method(Object unsafe, String name, Class<?>... parameters)
            throws ReflectiveOperationException {
        return MethodHandles.lookup()
                .unreflect(unsafe.getClass().getMethod(name, parameters))
                .bindTo(unsafe);
    }

    private JdkMemory() {}

    /** Allocates memory, as a {@link NativeStore.Allocator} does. */
    static NativeStore.Memory allocate(int bytes, boolean zeroed) {
        long size = (long) bytes + NativeStore.ALIGNMENT - 1;
        try {
            long address = (long) ALLOCATE.invokeExact(size);
            if (zeroed) {
                FILL.invokeExact(address, size, (byte) 0);
            }
            return new NativeStore.Memory(
                    view(address + NativeStore.ALIGNMENT - 1 & -NativeStore.ALIGNMENT, bytes), () -> free(address));
        } catch (UnsupportedOperationException e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "native memory: " + e.getMessage()
                            + " (expected: a JVM with --sun-misc-unsafe-memory-access=allow)",
                    e);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** Returns a direct buffer over memory of another owner. Its duplicates and slices keep it reachable. */
    private static ByteBuffer view(long address, int bytes) throws Throwable {
        ByteBuffer view = ByteBuffer.allocateDirect(0);
        PUT_LONG.invokeExact((Object) view, ADDRESS, address);
        PUT_INT.invokeExact((Object) view, CAPACITY, bytes);
        return view.clear();
    }

    private static void free(long address) {
        try {
            FREE.invokeExact(address);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** The calls throw unchecked exceptions and errors alone. */
    private static RuntimeException unchecked(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException known ? known : new IllegalStateException(e);
    }
}
