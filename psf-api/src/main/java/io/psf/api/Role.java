package io.psf.api;

/** What a node is in the cluster. */
public enum Role {
    /** Forms the cluster, gives ranks, places slices, and notices when a node is lost. */
    SCHEDULER,
    /** Holds shards and runs handlers. */
    SERVER,
    /** Computes, and calls PS functions. */
    WORKER;

    /** The role as it is written in settings and logs, for example {@code server}. */
    public String label() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
