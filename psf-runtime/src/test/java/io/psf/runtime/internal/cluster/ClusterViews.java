package io.psf.runtime.internal.cluster;

import io.psf.api.Role;
import java.util.List;

/** The state that nodes have of a cluster, for tests of other packages. */
public final class ClusterViews {
    private ClusterViews() {}

    /** Lets a node learn that a server has left. */
    public static void left(ClusterView view, int server) {
        long epoch = view.state().epoch();
        ClusterChange.Nodes gone =
                ClusterChange.Nodes.gone(List.of(new ClusterChange.Place(Role.SERVER, server)), List.of());
        view.apply(List.of(new ClusterChange(epoch, epoch + 1, gone, List.of(), List.of())));
    }
}
