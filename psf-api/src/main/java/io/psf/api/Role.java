package io.psf.api;

/** The role of a node in the cluster. */
public enum Role {
    /** Forms the cluster, assigns ranks, places slices, and detects lost nodes. */
    SCHEDULER,
    /** Holds shards and runs handlers. */
    SERVER,
    /** Computes, and calls PS functions. */
    WORKER,
    /** Calls PS functions and is no member of the cluster: no round, barrier or end of the job waits for it. */
    CLIENT;

    /** Returns the role as written in settings and logs, for example {@code server}. */
    public String label() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
