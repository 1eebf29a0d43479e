package io.psf.spark;

import java.io.Serializable;
import java.util.HashSet;
import java.util.Set;

/**
 * The seats of a cluster's servers: which executors run one. An executor keeps its seat until Spark has removed it;
 * then the next executor that offers to run a server has the seat. Thread-safe.
 */
final class Seats {
    private final int count;
    private final Set<Offer> taken = new HashSet<>();

    /**
     * An executor's offer to run a server.
     *
     * @param executor the executor's id
     * @param number the server's number in the executor, from 0
     */
    record Offer(String executor, int number) implements Serializable {}

    /** Why an executor that has a seat runs no server yet. */
    record Failure(String executor, String why) implements Serializable {}

    Seats(int count) {
        this.count = count;
    }

    /** Returns whether the executor runs the server. */
    synchronized boolean take(Offer offer) {
        return taken.contains(offer) || taken.size() < count && taken.add(offer);
    }

    /** Frees the seats of an executor that is gone. */
    synchronized void free(String executor) {
        taken.removeIf(offer -> offer.executor().equals(executor));
    }
}
