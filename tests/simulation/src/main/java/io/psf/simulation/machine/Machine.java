package io.psf.simulation.machine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Runs virtual threads one at a time on the thread that calls {@link #run}, in an order that a seed draws. Its clock
 * advances when every thread waits. One machine runs at a time in a JVM.
 */
public final class Machine {
    /** The time at which each run begins, in nanoseconds. */
    static final long START = 1_000_000_000L;

    /** What each reading of the clock takes, in nanoseconds: a loop that waits for a time ends. */
    private static final long READING = 20;

    /** How long threads that are not the machine's may take to make a thread ready, in real nanoseconds. */
    private static final long FOREIGN_NANOS = 500_000_000L;

    private static volatile @Nullable Machine running;

    /** A continuation that is ready. */
    private record Ready(NodeThreads threads, Runnable continuation) {}

    private final long seed;
    private final SplittableRandom order;
    private final SplittableRandom drawn;
    private final Trace trace;
    private final Monitors monitors = new Monitors();
    private final List<Ready> ready = new ArrayList<>();
    private final PriorityQueue<Alarm> alarms = new PriorityQueue<>();
    private final ConcurrentLinkedQueue<Ready> foreign = new ConcurrentLinkedQueue<>();
    /** The threads that have not ended, by what their executor is given. */
    private final IdentityHashMap<Runnable, Thread> threads = new IdentityHashMap<>();

    private final NodeThreads own;
    private final List<String> failures = new ArrayList<>();
    private @Nullable Thread carrier;
    private NodeThreads current;
    private long now = START;
    private long numbers;
    private long steps;
    private int foreigners;
    /** The name of the last of these threads, and where it was. */
    private volatile String foreigner = "none";

    private int pointsPerMille;

    /**
     * Creates a machine.
     *
     * @param keepsTrace true if the trace keeps its sentences
     */
    public Machine(long seed, boolean keepsTrace) {
        this.seed = seed;
        this.order = random("order");
        this.drawn = random("product");
        this.trace = new Trace(this, seed, keepsTrace);
        this.own = new NodeThreads(this, "test");
        this.current = own;
    }

    /** How far a run may go. */
    public record Bounds(long steps, long virtualNanos) {}

    /** How a run ended. */
    public enum End {
        DONE,
        /** More steps than the bound. */
        STEPS,
        /** More virtual time than the bound. */
        TIME,
        /** No thread is ready, and no alarm is set. */
        DEADLOCK
    }

    /** Returns the machine that runs now, for code of its threads; null on other threads. */
    static @Nullable Machine here() {
        Machine machine = running;
        if (machine == null) {
            return null;
        }
        Thread thread = Thread.currentThread();
        return thread == machine.carrier || VirtualThreads.isOne(thread) ? machine : null;
    }

    /** Returns a stream of random numbers of its own: drawing from one changes no other. */
    public SplittableRandom random(String name) {
        return new SplittableRandom(seed * 0x9E3779B97F4A7C15L ^ name.hashCode() * 0xD1342543DE82EF95L);
    }

    /** Returns the threads of the test itself, which no fault touches. */
    public NodeThreads own() {
        return own;
    }

    /** Makes a node. */
    public NodeThreads node(String name) {
        return new NodeThreads(this, name);
    }

    public Trace trace() {
        return trace;
    }

    /** Returns the virtual time in nanoseconds, which no node's clock shows. */
    public long now() {
        return now;
    }

    /** Returns the virtual time since the start in milliseconds. */
    public long millis() {
        return (now - START) / 1_000_000;
    }

    /** Returns the number of times that a thread was continued. */
    public long steps() {
        return steps;
    }

    /** Returns how often a thread of the JVM, which no seed orders, has continued one of the machine's. */
    public int foreigners() {
        return foreigners;
    }

    /** Returns the last of these threads, and where it was. */
    public String foreigner() {
        return foreigner;
    }

    /** Returns what threads have failed with that nothing caught. */
    public List<String> failures() {
        return failures;
    }

    /** Runs work, which does not block, at a time from now, in nanoseconds of virtual time. */
    public void after(long nanos, Runnable work) {
        set(own, nanos, work);
    }

    Alarm set(NodeThreads threads, long nanos, Runnable work) {
        Alarm alarm = new Alarm(this, now + Math.max(0, nanos), numbers++, threads, work);
        alarms.add(alarm);
        return alarm;
    }

    void remove(Alarm alarm) {
        alarms.remove(alarm);
    }

    /** Multiplies the times until the alarms of a node go off. */
    void rescale(NodeThreads threads, double factor) {
        List<Alarm> moved =
                alarms.stream().filter(each -> each.threads == threads).toList();
        alarms.removeAll(moved);
        for (Alarm each : moved) {
            each.at = now + (long) Math.ceil((each.at - now) * factor);
            alarms.add(each);
        }
    }

    /** Runs a test until it returns. The threads that it leaves behind never run again. */
    public End run(Bounds bounds, Runnable test) {
        carrier = Thread.currentThread();
        running = this;
        AtomicBoolean isOver = new AtomicBoolean();
        try {
            own.start("main", () -> {
                try {
                    test.run();
                } finally {
                    isOver.set(true);
                }
            });
            while (!isOver.get()) {
                if (steps > bounds.steps()) {
                    return End.STEPS;
                } else if (now - START > bounds.virtualNanos()) {
                    return End.TIME;
                } else if (!step()) {
                    return End.DEADLOCK;
                }
            }
            return End.DONE;
        } finally {
            running = null;
        }
    }

    private boolean step() {
        takeForeign();
        if (!ready.isEmpty()) {
            continueOne();
        } else if (!alarms.isEmpty()) {
            Alarm next = alarms.remove();
            now = Math.max(now, next.at);
            current = next.threads;
            next.goOff();
        } else {
            return awaitForeign();
        }
        return true;
    }

    private void continueOne() {
        int at = ready.size() == 1 ? 0 : order.nextInt(ready.size());
        Ready next = ready.get(at);
        ready.set(at, ready.get(ready.size() - 1));
        ready.remove(ready.size() - 1);
        steps++;
        trace.note(ready.size() * 31L + at + now);
        current = next.threads();
        next.continuation().run();
        awaitMonitor(next);
    }

    /**
     * Lets a thread go on before any other that waits for a monitor of the JVM, such as the one of its cleaners: a thread
     * of the JVM has it, whose time no seed draws.
     */
    private void awaitMonitor(Ready of) {
        Thread thread = threads.get(of.continuation());
        long until = 0;
        while (thread != null && VirtualThreads.isBlocked(thread)) {
            until = until == 0 ? System.nanoTime() + FOREIGN_NANOS : until;
            if (removed(ready, of) || removed(foreign, of)) {
                of.continuation().run();
                until = 0;
            } else if (System.nanoTime() > until) {
                return; // a thread of the machine has it
            }
        }
    }

    private static boolean removed(Collection<Ready> from, Ready of) {
        return from.removeIf(each -> each.continuation() == of.continuation());
    }

    private void takeForeign() {
        for (Ready each = foreign.poll(); each != null; each = foreign.poll()) {
            foreigners++;
            ready.add(each);
        }
    }

    private boolean awaitForeign() {
        long until = System.nanoTime() + FOREIGN_NANOS;
        while (foreign.isEmpty() && System.nanoTime() < until) {
            Thread.onSpinWait();
        }
        return !foreign.isEmpty();
    }

    void ready(NodeThreads threads, Runnable continuation) {
        Ready made = new Ready(threads, continuation);
        if (here() == this) {
            ready.add(made);
        } else {
            foreigner = Thread.currentThread().getName() + " at "
                    + Arrays.asList(Thread.currentThread().getStackTrace());
            foreign.add(made);
        }
    }

    void made(Thread thread) {
        threads.put(VirtualThreads.continuation(thread), thread);
    }

    void ended(Thread thread) {
        threads.remove(VirtualThreads.continuation(thread));
    }

    /** Removes the continuations of a node that are ready, and returns them. */
    List<Runnable> take(NodeThreads threads) {
        List<Runnable> taken = new ArrayList<>();
        ready.removeIf(each -> {
            boolean isIts = each.threads() == threads;
            if (isIts) {
                taken.add(each.continuation());
            }
            return isIts;
        });
        return taken;
    }

    // For the code that is rewritten.

    NodeThreads current() {
        return current;
    }

    Monitors monitors() {
        return monitors;
    }

    SplittableRandom drawn() {
        return drawn;
    }

    long nextNumber() {
        return numbers++;
    }

    /** Returns the time on the clock of the current node, which this advances. */
    long nanoTime() {
        now += READING;
        return current.time(now);
    }

    /** True once in a while: the current thread lets others run, as if its time were up. */
    boolean isPreempted() {
        return order.nextInt(64) == 0;
    }

    /** Lets threads be switched between accesses of code without locks: at how many of 1,000 places. */
    public void switchAtPoints(int perMille) {
        pointsPerMille = perMille;
    }

    boolean isSwitchedAtPoint() {
        return pointsPerMille > 0 && order.nextInt(1_000) < pointsPerMille;
    }

    void failed(String thread, Throwable e) {
        failures.add(thread + ": " + e);
        trace.say(current.name(), thread + " has failed: " + e);
    }
}
