package io.psf.simulation.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The threads of one node, with its clock: what a process has on a real machine. A thread belongs to the node whose
 * thread has made it. All methods run on the machine's thread, or before a run.
 */
public final class NodeThreads implements Executor {
    private enum State {
        RUNNING,
        PAUSED,
        KILLED
    }

    private final Machine machine;
    private final String name;
    /** Continuations that are ready while the node is paused. */
    private final List<Runnable> held = new ArrayList<>();

    private final List<Thread> live = new ArrayList<>();
    private final List<FileChannel> locked = new ArrayList<>();
    private State state = State.RUNNING;
    private double rate = 1;
    private long changedAt;
    private long ownTime;
    private long wallJump;

    NodeThreads(Machine machine, String name) {
        this.machine = machine;
        this.name = name;
        this.changedAt = machine.now();
        this.ownTime = changedAt;
    }

    /** Returns the name of the node, such as "server 1". */
    public String name() {
        return name;
    }

    /** True unless the node is paused or killed. */
    public boolean isRunning() {
        return state == State.RUNNING;
    }

    /** True once the node has been killed. */
    public boolean isKilled() {
        return state == State.KILLED;
    }

    /** Takes a continuation of a thread of this node. */
    @Override
    public void execute(Runnable continuation) {
        switch (state) {
            case RUNNING -> machine.ready(this, continuation);
            case PAUSED -> held.add(continuation);
            case KILLED -> {} // never runs again
        }
    }

    /** Starts a thread of this node. */
    public Thread start(String thread, Runnable work) {
        Thread made = make(thread, work);
        made.start();
        return made;
    }

    /** Makes a thread of this node, which is not started. */
    Thread make(String thread, Runnable work) {
        Thread[] self = new Thread[1];
        self[0] = VirtualThreads.make(this, name + ": " + thread, () -> {
            live.add(self[0]);
            try {
                work.run();
            } finally {
                live.remove(self[0]);
                machine.ended(self[0]);
            }
        });
        machine.made(self[0]);
        return self[0];
    }

    /** Returns the threads that have begun and not ended. */
    public List<Thread> live() {
        return List.copyOf(live);
    }

    /** Stops the node, as SIGSTOP does. */
    public void pause() {
        if (state == State.RUNNING) {
            state = State.PAUSED;
            held.addAll(machine.take(this));
        }
    }

    /** Continues a stopped node. */
    public void resume() {
        if (state == State.PAUSED) {
            state = State.RUNNING;
            List<Runnable> all = List.copyOf(held);
            held.clear();
            all.forEach(this::execute);
        }
    }

    /** Ends the node, as SIGKILL does: none of its threads runs again, and its locks on files end. */
    public void kill() {
        state = State.KILLED;
        machine.take(this);
        held.clear();
        live.clear();
        for (FileChannel each : locked) {
            try {
                each.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Adds a file that the node has locked. */
    void holds(FileChannel file) {
        locked.add(file);
    }

    /** Sets the speed of the node's clock and timers: 1 for the speed of the machine's clock. */
    public void setRate(double rate) {
        machine.rescale(this, this.rate / rate);
        ownTime = time(machine.now());
        changedAt = machine.now();
        this.rate = rate;
    }

    /** Sets the wall clock of the node forward, or back. */
    public void jump(long millis) {
        wallJump += millis;
    }

    /** Returns the time on the node's clock, in nanoseconds, which this does not advance. */
    public long nanoTime() {
        return time(machine.now());
    }

    /** Returns the time on the node's clock, in nanoseconds, at a time of the machine. */
    long time(long machineTime) {
        return rate == 1 && changedAt == ownTime ? machineTime : ownTime + (long) ((machineTime - changedAt) * rate);
    }

    /** Returns how long the machine takes for a duration on the node's clock, in nanoseconds. */
    long duration(long own) {
        return rate == 1 ? own : (long) Math.ceil(own / rate);
    }

    long wallJump() {
        return wallJump;
    }

    @Override
    public String toString() {
        return name;
    }
}
