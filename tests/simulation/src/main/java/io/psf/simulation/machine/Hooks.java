package io.psf.simulation.machine;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What rewritten code calls in the place of the JDK. On a thread that is not the machine's, each method does what the
 * JDK does, except for monitors, which do nothing there. A method has the name of the method that it replaces.
 */
public final class Hooks {
    private static final long WALL = 1_700_000_000_000L;

    private Hooks() {}

    public static long nanoTime() {
        Machine machine = Machine.here();
        return machine == null ? System.nanoTime() : machine.nanoTime();
    }

    public static long currentTimeMillis() {
        Machine machine = Machine.here();
        return machine == null
                ? System.currentTimeMillis()
                : WALL + machine.nanoTime() / 1_000_000 + machine.current().wallJump();
    }

    public static Instant now() {
        return Machine.here() == null ? Instant.now() : Instant.ofEpochMilli(currentTimeMillis());
    }

    /** The timed parking of virtual threads. */
    public static Future<?> schedule(Object unused, Runnable work, long delay, TimeUnit unit) {
        Machine machine = Machine.here();
        if (machine == null) {
            throw new IllegalStateException("a virtual thread outside of the machine");
        }
        NodeThreads threads = machine.current();
        return machine.set(threads, threads.duration(unit.toNanos(delay)), work);
    }

    /** Returns a thread of the current node in the place of a new one. */
    @SuppressWarnings("DoNotCall") // the work of the thread that is not started
    public static Thread thread(Thread made) {
        Machine machine = Machine.here();
        if (machine == null) {
            return made;
        }
        // The names of the JDK's unnamed threads count all threads of the JVM.
        String name = made.getName().startsWith("Thread-") ? "thread " + machine.nextNumber() : made.getName();
        return machine.current().make(name, () -> {
            try {
                made.run();
            } catch (Throwable e) {
                machine.failed(name, e);
            }
        });
    }

    public static ExecutorService newFixedThreadPool(int threads) {
        return Executors.newFixedThreadPool(threads, work -> thread(new Thread(work, "pool")));
    }

    public static void addShutdownHook(Runtime runtime, Thread hook) {
        if (Machine.here() == null) {
            runtime.addShutdownHook(hook);
        }
    }

    public static boolean removeShutdownHook(Runtime runtime, Thread hook) {
        return Machine.here() != null || runtime.removeShutdownHook(hook);
    }

    /** The lock of a node that is killed ends with the node, as a process's lock does. */
    public static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        FileLock lock = channel.tryLock();
        Machine machine = Machine.here();
        if (machine != null && lock != null) {
            machine.current().holds(channel);
        }
        return lock;
    }

    // Futures: the JDK has a thread for their time limits.

    public static <T> CompletableFuture<T> orTimeout(CompletableFuture<T> future, long time, TimeUnit unit) {
        if (Machine.here() == null) {
            return future.orTimeout(time, unit);
        }
        return limited(future, time, unit, () -> future.completeExceptionally(new TimeoutException()));
    }

    public static <T> CompletableFuture<T> completeOnTimeout(
            CompletableFuture<T> future, T value, long time, TimeUnit unit) {
        if (Machine.here() == null) {
            return future.completeOnTimeout(value, time, unit);
        }
        return limited(future, time, unit, () -> future.complete(value));
    }

    private static <T> CompletableFuture<T> limited(
            CompletableFuture<T> future, long time, TimeUnit unit, Runnable atTheEnd) {
        Future<?> alarm = schedule(future, onThread(atTheEnd), time, unit);
        future.whenComplete((done, failure) -> alarm.cancel(false));
        return future;
    }

    public static Executor delayedExecutor(long time, TimeUnit unit, Executor executor) {
        if (Machine.here() == null) {
            return CompletableFuture.delayedExecutor(time, unit, executor);
        }
        return work -> schedule(executor, onThread(() -> executor.execute(work)), time, unit);
    }

    /** Alarms go off where no thread may block. */
    private static Runnable onThread(Runnable work) {
        return () -> thread(new Thread(work, "alarm")).start();
    }

    // Random numbers.

    public static long nextLong(Random random) {
        Machine machine = Machine.here();
        return machine == null ? random.nextLong() : machine.drawn().nextLong();
    }

    public static long nextLong(Random random, long from, long to) {
        Machine machine = Machine.here();
        return machine == null ? random.nextLong(from, to) : machine.drawn().nextLong(from, to);
    }

    public static int nextInt(Random random, int bound) {
        Machine machine = Machine.here();
        return machine == null ? random.nextInt(bound) : machine.drawn().nextInt(bound);
    }

    public static void nextBytes(Random random, byte[] into) {
        Machine machine = Machine.here();
        if (machine == null) {
            random.nextBytes(into);
        } else {
            machine.drawn().nextBytes(into);
        }
    }

    /** A place between two accesses of code without locks. */
    @SuppressWarnings("ThreadPriorityCheck") // the seed picks the next thread
    public static void point() {
        Machine machine = Machine.here();
        if (machine != null && machine.isSwitchedAtPoint()) {
            Thread.yield();
        }
    }

    // Monitors.

    @SuppressWarnings("ThreadPriorityCheck") // the seed picks the next thread
    public static void enter(Object of) {
        Machine machine = Machine.here();
        if (machine != null) {
            if (machine.isPreempted()) {
                Thread.yield();
            }
            machine.monitors().enter(of);
        }
    }

    public static void exit(Object of) {
        Machine machine = Machine.here();
        if (machine != null) {
            machine.monitors().exit(of);
        }
    }

    public static void wait(Object of) throws InterruptedException {
        wait(of, 0);
    }

    public static void wait(Object of, long millis) throws InterruptedException {
        Machine machine = Machine.here();
        if (machine == null) {
            throw new IllegalStateException("a wait of rewritten code outside of the machine");
        }
        machine.monitors().await(machine, of, machine.current().duration(millis * 1_000_000));
    }

    public static void timedWait(TimeUnit unit, Object of, long time) throws InterruptedException {
        if (time > 0) {
            wait(of, Math.max(1, unit.toMillis(time)));
        }
    }

    public static void notify(Object of) {
        notify(of, false);
    }

    public static void notifyAll(Object of) {
        notify(of, true);
    }

    private static void notify(Object of, boolean all) {
        Machine machine = Machine.here();
        if (machine != null) {
            machine.monitors().notify(of, all);
        }
    }
}
