package io.psf.runtime.internal.cluster;

/** How far a node is that joins. */
public enum JoinStage {
    /** The scheduler is not reached, or has refused the node for now. */
    CONNECTS,
    /** The scheduler has the node, and waits for the others of a cluster that forms. */
    FORMS,
    /** The cluster is complete, and the node waits until a place in it is free. */
    WAITS
}
