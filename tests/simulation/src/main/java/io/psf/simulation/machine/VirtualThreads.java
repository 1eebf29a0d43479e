package io.psf.simulation.machine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Virtual threads whose continuations run where an executor says. By reflection, since JDK 17 compiles this module. */
final class VirtualThreads {
    private static final @Nullable Class<?> KIND = kind();
    private static final @Nullable MethodHandle NEW = constructor();

    private VirtualThreads() {}

    private static @Nullable Class<?> kind() {
        try {
            return Class.forName("java.lang.VirtualThread");
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private static @Nullable MethodHandle constructor() {
        try {
            return MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
                    .findStatic(
                            Class.forName("java.lang.ThreadBuilders"),
                            "newVirtualThread",
                            MethodType.methodType(
                                    Thread.class, Executor.class, String.class, int.class, Runnable.class));
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    static boolean isOne(Thread thread) {
        return thread.getClass() == KIND;
    }

    static Thread make(Executor where, String name, Runnable work) {
        if (NEW == null) {
            throw new IllegalStateException("JDK " + Runtime.version().feature()
                    + " (expected: 25, with --add-opens=java.base/java.lang=ALL-UNNAMED)");
        }
        try {
            return (Thread) NEW.invokeExact(where, name, 0, work);
        } catch (Throwable e) {
            throw new IllegalStateException("a virtual thread cannot be made: " + e, e);
        }
    }
}
