package io.psf.runtime.internal.server.lane;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The work that waits for a lane: the highest priority first, and in order of arrival within one priority. A turn is
 * preceded by the turns that must run before it by {@link CallOrder}, whatever their priorities. Thread-safe, but one
 * thread alone takes work.
 */
final class TurnQueue {
    private final BlockingQueue<Runnable> normal = new LinkedBlockingQueue<>();
    private final PriorityBlockingQueue<Ranked> higher = new PriorityBlockingQueue<>();
    private final PriorityBlockingQueue<Ranked> lower = new PriorityBlockingQueue<>();
    /** The number of turns in {@link #higher} and {@link #lower}: rarely above 0. */
    private final AtomicInteger ranked = new AtomicInteger();

    /** The number of pieces of work that wait or run. */
    private final AtomicInteger pending = new AtomicInteger();

    private final AtomicLong arrivals = new AtomicLong();
    private final Consumer<Runnable> runner;

    /** A turn with a priority other than 0. */
    private record Ranked(int priority, long arrival, Turn turn) implements Comparable<Ranked> {
        @Override
        public int compareTo(Ranked other) {
            return priority == other.priority
                    ? Long.compare(arrival, other.arrival)
                    : Integer.compare(other.priority, priority);
        }
    }

    /**
     * Creates an empty queue.
     *
     * @param runner runs each of the turns that must run together, whether or not those before it failed
     */
    TurnQueue(Consumer<Runnable> runner) {
        this.runner = runner;
    }

    /** True if no work waits. */
    boolean isEmpty() {
        return normal.isEmpty() && ranked.get() == 0;
    }

    /** Returns the number of pieces of work that wait or run. May be stale. */
    int depth() {
        return pending.get();
    }

    /** True if no work waits or runs. May be stale. */
    boolean isIdle() {
        return pending.get() == 0;
    }

    /** Counts a piece of work as running if no work waits or runs. */
    boolean beginIfIdle() {
        return pending.compareAndSet(0, 1);
    }

    /** Uncounts a piece of work that has run. */
    void ended() {
        pending.getAndDecrement();
    }

    void add(Runnable work) {
        pending.getAndIncrement();
        normal.add(work);
    }

    /** Adds a turn of a priority other than 0. */
    void add(Turn turn, int priority) {
        pending.getAndIncrement();
        ranked.incrementAndGet();
        (priority > 0 ? higher : lower).add(new Ranked(priority, arrivals.getAndIncrement(), turn));
        if (normal.isEmpty()) {
            add(() -> {}); // wakes the lane
        }
    }

    /** Returns the next work. Blocks until there is some. */
    Runnable take() throws InterruptedException {
        if (ranked.get() == 0) {
            Runnable work = normal.take();
            // Usually no turn of another priority was queued meanwhile.
            return ranked.get() == 0 ? work : inOrder(work);
        }
        Ranked first = higher.poll();
        if (first != null) {
            ranked.decrementAndGet();
            return before(first.turn, true);
        }
        Runnable work = normal.poll();
        if (work != null) {
            return inOrder(work);
        }
        Ranked last = lower.poll();
        if (last == null) {
            pending.getAndIncrement();
            return () -> {}; // another thread is adding the turn
        }
        ranked.decrementAndGet();
        return before(last.turn, true);
    }

    /** Uncounts turns that run together, except one, which is uncounted after they have run. */
    private void countTogether(int turns) {
        pending.addAndGet(1 - turns);
    }

    private Runnable inOrder(Runnable work) {
        return work instanceof Turn turn ? before(turn, false) : work;
    }

    /**
     * Returns the turn, preceded by every queued turn that must run before it, directly or transitively.
     *
     * @param isRanked true if the turn may have overtaken turns of priority 0
     */
    private Runnable before(Turn turn, boolean isRanked) {
        List<Turn> together = new ArrayList<>();
        together.add(turn);
        int unranked = 0;
        for (int i = 0; i < together.size(); i++) {
            Turn later = together.get(i);
            int known = together.size();
            if (isRanked || i > 0) {
                normal.removeIf(
                        work -> work instanceof Turn other && CallOrder.precedes(other, later) && together.add(other));
            }
            unranked += together.size() - known;
            higher.removeIf(other -> CallOrder.precedes(other.turn, later) && together.add(other.turn));
            lower.removeIf(other -> CallOrder.precedes(other.turn, later) && together.add(other.turn));
        }
        ranked.addAndGet(unranked + 1 - together.size());
        if (together.size() == 1) {
            return turn;
        }
        countTogether(together.size());
        together.sort(Comparator.comparingLong(each -> each.first().arrival()));
        return () -> together.forEach(runner);
    }
}
