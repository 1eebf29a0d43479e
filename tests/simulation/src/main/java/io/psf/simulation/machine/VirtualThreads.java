package io.psf.simulation.machine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Virtual threads whose continuations run where an executor says. By reflection, since JDK 17 compiles this module. */
final class VirtualThreads {
    private static final @Nullable Class<?> KIND = kind();
    private static final @Nullable MethodHandle NEW = constructor();
    private static final @Nullable Fields FIELDS = fields();

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

    /**
     * The fields of a virtual thread.
     *
     * @param continuation what its executor is given
     * @param blocked the states from its arrival at a monitor that another thread has until it goes on
     */
    private record Fields(VarHandle state, VarHandle continuation, Set<Integer> blocked) {}

    private static @Nullable Fields fields() {
        try {
            Class<?> kind = Class.forName("java.lang.VirtualThread");
            MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(kind, MethodHandles.lookup());
            Set<Integer> blocked = new HashSet<>();
            for (String each : List.of("BLOCKING", "BLOCKED", "UNBLOCKED")) {
                blocked.add(
                        (int) lookup.findStaticVarHandle(kind, each, int.class).get());
            }
            return new Fields(
                    lookup.findVarHandle(kind, "state", int.class),
                    lookup.findVarHandle(kind, "runContinuation", Runnable.class),
                    Set.copyOf(blocked));
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    /** Returns what the executor of a thread is given. */
    static Runnable continuation(Thread thread) {
        return FIELDS == null ? thread : (Runnable) FIELDS.continuation.get(thread);
    }

    /** True if a thread waits for a monitor of the JVM, or has not gone on since it has the monitor. */
    static boolean isBlocked(Thread thread) {
        return FIELDS != null && FIELDS.blocked.contains((int) FIELDS.state.get(thread));
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
