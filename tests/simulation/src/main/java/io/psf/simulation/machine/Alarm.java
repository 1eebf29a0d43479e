package io.psf.simulation.machine;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Work that is due at a time of the virtual clock. Alarms of one time go off in the order in which they were set. */
final class Alarm implements Comparable<Alarm>, Future<Object> {
    long at;
    final NodeThreads threads;
    final Runnable work;

    private final Machine machine;
    private final long number;
    private boolean isCancelled;
    private boolean isOver;

    Alarm(Machine machine, long at, long number, NodeThreads threads, Runnable work) {
        this.machine = machine;
        this.at = at;
        this.number = number;
        this.threads = threads;
        this.work = work;
    }

    void goOff() {
        isOver = true;
        work.run();
    }

    @Override
    public int compareTo(Alarm other) {
        int byTime = Long.compare(at, other.at);
        return byTime != 0 ? byTime : Long.compare(number, other.number);
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        if (isOver) {
            return false;
        }
        isCancelled = true;
        isOver = true;
        machine.remove(this);
        return true;
    }

    @Override
    public boolean isCancelled() {
        return isCancelled;
    }

    @Override
    public boolean isDone() {
        return isOver;
    }

    @Override
    public Object get() {
        throw new UnsupportedOperationException("result of an alarm");
    }

    @Override
    public Object get(long timeout, TimeUnit unit) {
        throw new UnsupportedOperationException("result of an alarm");
    }
}
