/**
 * How nodes form a cluster: joining, ranks, heartbeats, barriers, and the catalog of tensors with the placement of
 * their slices. The requests between nodes are PS functions, declared in the same way as a user's.
 */
@NullMarked
package io.psf.runtime.internal.cluster;

import org.jspecify.annotations.NullMarked;
