/**
 * How nodes become a cluster: joining, ranks, heartbeats, barriers, and the catalog of tensors with the placement of
 * their slices. What nodes ask each other here are PS functions, declared as a user's are.
 */
@NullMarked
package io.psf.runtime.cluster;

import org.jspecify.annotations.NullMarked;
