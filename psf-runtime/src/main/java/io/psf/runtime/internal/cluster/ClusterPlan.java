package io.psf.runtime.internal.cluster;

import io.psf.api.Role;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The cluster that a scheduler forms.
 *
 * @param servers the number of servers
 * @param workers the number of workers with which a job begins
 * @param more true if further workers may join a running job
 * @param service true if the cluster outlives its jobs, until it is told to end
 * @param limits how long nodes may be missing
 * @param trust which nodes may join, and what they may call
 */
public record ClusterPlan(int servers, int workers, boolean more, boolean service, Limits limits, Trust trust) {

    /**
     * How long nodes may be missing.
     *
     * @param join how long the cluster may take to form
     * @param heartbeat how long a node may stay silent
     * @param serverReturn how long a lost server is expected back; zero if it is not
     * @param workerReturn how long a lost worker is expected back; zero if it is not
     * @param schedulerReturn how long the nodes look for another scheduler in the place of a lost one, if that is
     *     longer than the heartbeat's limit
     * @param clock returns the time in nanoseconds, as {@link System#nanoTime} does
     */
    public record Limits(
            Duration join,
            Duration heartbeat,
            Duration serverReturn,
            Duration workerReturn,
            Duration schedulerReturn,
            LongSupplier clock) {}

    /** Returns the time in nanoseconds by which nodes are missing. */
    long now() {
        return limits.clock().getAsLong();
    }

    Duration joinTimeout() {
        return limits.join();
    }

    Duration heartbeatLimit() {
        return limits.heartbeat();
    }

    /** Returns how long the nodes look for a scheduler, and a scheduler that is started again waits for them. */
    Duration schedulerReturn() {
        boolean isLonger = limits.schedulerReturn().compareTo(limits.heartbeat()) > 0;
        return isLonger ? limits.schedulerReturn() : limits.heartbeat();
    }

    /**
     * Returns the limits as nodes are told. A server serves without the scheduler until another one may have its place.
     */
    Join.Limits told() {
        Duration serve = returnOf(Role.SERVER).isZero() ? schedulerReturn() : heartbeatLimit();
        return new Join.Limits(heartbeatLimit().toMillis(), schedulerReturn().toMillis(), serve.toMillis());
    }

    /** Returns how long a lost node of a role is expected back; zero if it is not. */
    Duration returnOf(Role role) {
        return role == Role.SERVER ? limits.serverReturn() : limits.workerReturn();
    }

    /** Returns the nodes that are present when the cluster is complete, such as {@code 2 servers and 1 worker}. */
    String whenComplete() {
        return service ? count(servers, "server") + ", as a service" : toString();
    }

    private static String count(int nodes, String role) {
        return nodes + " " + role + (nodes == 1 ? "" : "s");
    }

    @Override
    public String toString() { // without the secret
        return count(servers, "server") + " and " + workers
                + (more ? " or more workers" : workers == 1 ? " worker" : " workers");
    }
}
