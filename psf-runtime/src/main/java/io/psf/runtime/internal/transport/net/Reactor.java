package io.psf.runtime.internal.transport.net;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.Receiver;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Polls the channels and dispatches the received frames to their receivers, on one thread at a time, the leader. {@link
 * Leadership} decides which thread that is, {@link SelectorLoop} is what it does.
 */
final class Reactor implements AutoCloseable {
    private final LeaderThread leader = new LeaderThread();
    private final ChannelChecks checks;
    private final FailureLog failures;
    private final Leadership leadership;
    private final SelectorLoop loop;
    private final Dispatches dispatches;
    private final Thread watch;

    /**
     * Creates a reactor, with its thread.
     *
     * @param spinNanos the usual time that a thread spins before it blocks
     * @param checkNanos the interval at which channels are checked for peers that keep this side waiting
     */
    Reactor(String name, long spinNanos, long checkNanos) {
        this.checks = new ChannelChecks(leader, checkNanos);
        this.failures = checks.failures();
        this.leadership = new Leadership(name, leader, checks, spinNanos);
        this.loop = leadership.loop();
        this.dispatches = leadership.dispatches();
        this.watch = new Thread(this::watch, name + "-watch");
        watch.setDaemon(true);
    }

    /** Starts the threads. */
    void start() {
        leadership.start();
        watch.start();
    }

    /** Relieves a blocked leader, and requests the checks. */
    private void watch() {
        while (!loop.isStopped()) {
            LockSupport.parkNanos(this, Dispatches.RELIEF_NANOS);
            try {
                leadership.relieve();
                leadership.keepOwn();
                if (checks.isDue()) {
                    loop.execute(checks);
                }
            } catch (RuntimeException | Error e) { // without this thread no leader would lose the lead
                checks.withdraw();
                failures.report("watching the thread that leads", e);
            }
        }
    }

    ChannelChecks checks() {
        return checks;
    }

    /** Adds a channel: the leader reads from it from now on. */
    void add(PolledChannel channel) throws IOException {
        checks.add(channel);
        if (channel.wire().isPolled()) {
            loop.addPolled(channel);
        }
        channel.registered(register(channel.wire().socket(), SelectionKey.OP_READ, channel));
        loop.wakeUp();
    }

    void remove(PolledChannel channel) {
        if (channel.wire().isPolled()) {
            loop.removePolled(channel); // needs memory
        }
        checks.remove(channel);
    }

    /** Logs a failure, as an error at most once a minute. Never fails itself, not even for lack of memory. */
    void report(String what, Throwable failure) {
        failures.report(what, failure);
    }

    /** Registers a socket as {@link SelectorLoop#register} does. */
    SelectionKey register(SelectableChannel socket, int operations, Object attachment) throws IOException {
        return loop.register(socket, operations, attachment);
    }

    /** Declares that frames arrive that no thread awaits, as {@link Leadership#serve} does. */
    void serve(BooleanSupplier isBusy) {
        leadership.serve(isBusy);
    }

    /** Waits until closed sockets are released, as {@link SelectorLoop#releaseClosed} does. */
    void releaseClosed() {
        loop.releaseClosed();
    }

    /** Passes a frame to its receiver, as {@link Dispatches#dispatch} does. */
    void dispatch(Receiver receiver, PolledChannel channel, Frame frame) {
        dispatches.dispatch(receiver, channel, frame);
    }

    /** Passes the end of a channel to its receiver. */
    void dispatchEnd(Receiver receiver, PolledChannel channel, PsException cause) {
        dispatches.dispatchEnd(receiver, channel, cause);
    }

    /** Called when the receiver has fixed the order of the frame: from now on this thread may lose the lead. */
    void mayTakeLong() {
        dispatches.mayTakeLong();
    }

    /** Wakes the waiting threads, so that they check their conditions. */
    void unparkFollowers() {
        leadership.unparkFollowers();
    }

    /** Queues a task for the leader and wakes it. Does not block. */
    void execute(Runnable task) {
        loop.execute(task);
    }

    /** Has the leader continue reading from a channel in its next turn. */
    void readAgain(PolledChannel channel) {
        loop.readAgain(channel);
    }

    /** True if this thread leads. */
    boolean isLedHere() {
        return leader.isCurrent();
    }

    /** Defers the flush of a channel to the leader, before it blocks, or to the next thread that awaits something. */
    void defer(PolledChannel channel) {
        loop.defer(channel);
    }

    /** Wakes the leader if it is blocked in the selector. */
    void wakeUp() {
        loop.wakeUp();
    }

    /** Blocks until a condition is true, as {@link Leadership#await} does. */
    boolean await(BooleanSupplier over, long deadline) throws InterruptedException {
        return leadership.await(over, deadline);
    }

    /** Closes the reactor: no more frames are received. Waits for its thread, 5 seconds at most. */
    @Override
    public void close() {
        loop.stop();
        LockSupport.unpark(watch);
        leadership.awaitEnd();
    }
}
