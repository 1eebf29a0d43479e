package io.psf.simulation.machine;

import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The monitors of rewritten code: the JDK's monitors wake threads on a thread of its own, which no seed orders. Entered
 * and left on the machine's threads alone.
 */
final class Monitors {
    private static final class Monitor {
        final ArrayDeque<Thread> entering = new ArrayDeque<>();
        final ArrayDeque<Thread> waiting = new ArrayDeque<>();

        @Nullable
        Thread owner;

        int count;
    }

    private final IdentityHashMap<Object, Monitor> held = new IdentityHashMap<>();

    void enter(Object of) {
        Thread thread = Thread.currentThread();
        Monitor monitor = of(of);
        if (monitor.owner == thread) {
            monitor.count++;
        } else {
            take(of, monitor, thread, 1);
        }
    }

    private Monitor of(Object of) {
        return held.computeIfAbsent(of, any -> new Monitor());
    }

    private void take(Object of, Monitor monitor, Thread thread, int count) {
        boolean wasInterrupted = false;
        while (monitor.owner != null) {
            monitor.entering.add(thread);
            LockSupport.park(of);
            wasInterrupted |= Thread.interrupted();
            monitor.entering.remove(thread);
        }
        monitor.owner = thread;
        monitor.count = count;
        if (wasInterrupted) {
            thread.interrupt();
        }
    }

    void exit(Object of) {
        Monitor monitor = owned(of);
        if (--monitor.count == 0) {
            release(of, monitor);
        }
    }

    private void release(Object of, Monitor monitor) {
        monitor.owner = null;
        if (!monitor.entering.isEmpty()) {
            LockSupport.unpark(monitor.entering.peek());
        } else if (monitor.waiting.isEmpty()) {
            held.remove(of);
        }
    }

    private Monitor owned(Object of) {
        Monitor monitor = held.get(of);
        if (monitor == null || monitor.owner != Thread.currentThread()) {
            throw new IllegalMonitorStateException();
        }
        return monitor;
    }

    /** Waits for a notification, at most for a time on the machine's clock in nanoseconds; 0 for no limit. */
    void await(Machine machine, Object of, long nanos) throws InterruptedException {
        Monitor monitor = owned(of);
        Thread thread = Thread.currentThread();
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        int count = monitor.count;
        monitor.waiting.add(thread);
        release(of, monitor);
        long until = machine.now() + nanos;
        boolean wasInterrupted = false;
        while (!wasInterrupted && monitor.waiting.contains(thread) && (nanos == 0 || machine.now() < until)) {
            if (nanos == 0) {
                LockSupport.park(of);
            } else {
                LockSupport.parkNanos(of, until - machine.now());
            }
            wasInterrupted = Thread.interrupted();
        }
        boolean wasNotified = !monitor.waiting.remove(thread);
        take(of, of(of), thread, count); // the monitor was forgotten if nobody held it after the notification
        if (wasInterrupted && wasNotified) {
            thread.interrupt();
        } else if (wasInterrupted) {
            throw new InterruptedException();
        }
    }

    void notify(Object of, boolean all) {
        Monitor monitor = owned(of);
        do {
            Thread thread = monitor.waiting.poll();
            if (thread != null) {
                LockSupport.unpark(thread);
            }
        } while (all && !monitor.waiting.isEmpty());
    }
}
