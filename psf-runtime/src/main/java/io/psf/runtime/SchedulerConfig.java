package io.psf.runtime;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a scheduler.
 *
 * @param host the address to listen on
 * @param port the port to listen on; 0 for a port that the system chooses
 * @param size the numbers of nodes
 * @param life how long the cluster and its servers live
 * @param timeouts when nodes are missing
 * @param security how the nodes trust each other
 */
public record SchedulerConfig(String host, int port, Size size, Life life, Timeouts timeouts, Security security) {
    public SchedulerConfig {
        Checks.port(port);
    }

    /**
     * The numbers of nodes of a cluster.
     *
     * @param servers the number of servers, at least 1
     * @param workers the number of workers with which a job begins, at least 1
     * @param more true if more workers may join a job than it began with; one may always take the place of another that
     *     has left or is lost
     */
    public record Size(int servers, int workers, boolean more) {
        public Size {
            Checks.atLeast("servers", servers, 1);
            Checks.atLeast("workers", workers, 1);
        }
    }

    /**
     * How long a cluster and its servers live.
     *
     * @param service true if the cluster outlives its workers, until it is told to end; false if it is one job, which
     *     ends with its last worker
     * @param serverReturn how long calls wait for another server in the place of a lost one, if the model has a
     *     checkpoint; zero if a lost server is lost for good
     * @param workerReturn how long the other workers wait for another worker in the place of a lost one, if all of them
     *     go back to a checkpoint with it; zero if they go on without it
     * @param schedulerReturn how long the nodes look for another scheduler in the place of a lost one, with a journal;
     *     at least the limit of the heartbeat
     * @param journal the folder that a scheduler writes down in what another one needs to go on in its place, one for
     *     each cluster; null for none: the cluster ends with its scheduler
     */
    public record Life(
            boolean service,
            Duration serverReturn,
            Duration workerReturn,
            Duration schedulerReturn,
            @Nullable Path journal) {
        /** One job, with nodes that are lost for good. */
        public static final Life JOB = new Life(false, Duration.ZERO, Duration.ZERO, Duration.ZERO, null);

        Life asService() {
            return new Life(true, serverReturn, workerReturn, schedulerReturn, journal);
        }

        Life withServerReturn(Duration limit) {
            return new Life(service, limit, workerReturn, schedulerReturn, journal);
        }

        Life withWorkerReturn(Duration limit) {
            return new Life(service, serverReturn, limit, schedulerReturn, journal);
        }

        Life withSchedulerReturn(Duration limit) {
            return new Life(service, serverReturn, workerReturn, limit, journal);
        }

        Life withJournal(Path folder) {
            return new Life(service, serverReturn, workerReturn, schedulerReturn, folder);
        }
    }

    /**
     * When nodes are missing.
     *
     * @param join how long the cluster may take to form
     * @param heartbeat how long a node may stay silent before it counts as lost
     */
    public record Timeouts(Duration join, Duration heartbeat) {
        public Timeouts {
            Checks.positive("joinTimeout", join);
            Checks.positive("heartbeatLimit", heartbeat);
        }
    }

    /**
     * Returns the defaults: loopback, a port that the system chooses, 2 minutes to form, 10 seconds of silence, no
     * secret.
     */
    public static SchedulerConfig of(int servers, int workers) {
        Timeouts timeouts = new Timeouts(Duration.ofMinutes(2), Duration.ofSeconds(10));
        return new SchedulerConfig(
                "127.0.0.1", 0, new Size(servers, workers, false), Life.JOB, timeouts, Security.NONE);
    }

    /** Returns the number of servers. */
    public int servers() {
        return size.servers();
    }

    /** Returns the number of workers with which a job begins. */
    public int workers() {
        return size.workers();
    }

    private SchedulerConfig with(Timeouts timeouts) {
        return new SchedulerConfig(host, port, size, life, timeouts, security);
    }

    /** Returns a copy in which more workers may join a job than it began with. */
    public SchedulerConfig withMoreWorkers() {
        Size more = new Size(size.servers(), size.workers(), true);
        return new SchedulerConfig(host, port, more, life, timeouts, security);
    }

    /** Returns a copy that outlives its workers, until it is told to end. */
    public SchedulerConfig asService() {
        return withLife(life.asService());
    }

    /** Returns a copy in which lost servers are expected to come back within a time. */
    public SchedulerConfig withServerReturn(Duration limit) {
        return withLife(life.withServerReturn(limit));
    }

    /** Returns a copy in which lost workers are expected to come back within a time. */
    public SchedulerConfig withWorkerReturn(Duration limit) {
        return withLife(life.withWorkerReturn(limit));
    }

    /** Returns a copy in which the nodes look for another scheduler in the place of a lost one for a time. */
    public SchedulerConfig withSchedulerReturn(Duration limit) {
        return withLife(life.withSchedulerReturn(limit));
    }

    /** Returns a copy with a folder for the journal. */
    public SchedulerConfig withJournal(Path folder) {
        return withLife(life.withJournal(folder));
    }

    /** Returns a copy with another life. */
    public SchedulerConfig withLife(Life other) {
        return new SchedulerConfig(host, port, size, other, timeouts, security);
    }

    /** Returns a copy with a name of the cluster: 1 to 100 letters, digits, dots, dashes and underscores. */
    public SchedulerConfig withCluster(String name) {
        return new SchedulerConfig(host, port, size, life, timeouts, security.withCluster(name));
    }

    /** Returns a copy with another address to listen on. */
    public SchedulerConfig listen(String host, int port) {
        return new SchedulerConfig(host, port, size, life, timeouts, security);
    }

    /** Returns a copy with another time for the cluster to form. */
    public SchedulerConfig withJoinTimeout(Duration joinTimeout) {
        return with(new Timeouts(joinTimeout, timeouts.heartbeat()));
    }

    /** Returns a copy with another limit of silence. */
    public SchedulerConfig withHeartbeatLimit(Duration heartbeatLimit) {
        return with(new Timeouts(timeouts.join(), heartbeatLimit));
    }

    /** Returns a copy with a secret that every node has to have. */
    public SchedulerConfig withSecret(String secret) {
        return new SchedulerConfig(host, port, size, life, timeouts, security.withSecret(secret));
    }

    /**
     * Returns a copy that may listen beyond loopback without a secret and TLS: in a network that others cannot reach.
     */
    public SchedulerConfig asInsecure() {
        return new SchedulerConfig(host, port, size, life, timeouts, security.asInsecure());
    }

    /** Returns a copy with TLS, which every node has as well. */
    public SchedulerConfig withTls(Tls tls) {
        return new SchedulerConfig(host, port, size, life, timeouts, security.withTls(tls));
    }

    /**
     * Returns a copy with a file that says what nodes may call.
     *
     * @param file YAML; read again when it changes
     */
    public SchedulerConfig withPermissions(Path file) {
        return new SchedulerConfig(host, port, size, life, timeouts, security.withPermissions(file));
    }
}
