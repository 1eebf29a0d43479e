package io.psf.runtime.internal.cluster;

import io.psf.api.DeclaredTensor;
import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A difference of two states of the cluster, or a whole state.
 *
 * @param from the epoch that it follows; 0 for a whole state
 * @param epoch the epoch that it leads to
 * @param nodes the nodes; null if they have not changed
 * @param placed the tensors that were declared, or placed elsewhere
 * @param forgotten the tensors whose names were freed
 */
public record ClusterChange(
        long from, long epoch, @Nullable Nodes nodes, List<Placed> placed, List<TensorId> forgotten) {
    public ClusterChange {
        placed = List.copyOf(placed);
        forgotten = List.copyOf(forgotten);
    }

    /**
     * A difference of the nodes of the cluster, the scheduler and the clients excluded. A whole state has all of them.
     *
     * @param joined the nodes that are present from now on, each in place of an earlier one of its role and rank
     * @param gone the nodes that are present no longer
     * @param lost the nodes that count as lost from now on, each in place of an earlier loss of its role and rank
     * @param settled the nodes whose losses no longer count
     * @param owners [partitions], the rank of each partition's server; [0] if they have not changed
     * @param recovery what happens when a lost node comes back; null if that has not changed
     */
    public record Nodes(
            List<Node> joined,
            List<Place> gone,
            List<Loss> lost,
            List<Place> settled,
            List<Integer> owners,
            @Nullable Recovery recovery) {
        static final Nodes NONE =
                new Nodes(List.of(), List.of(), List.of(), List.of(), List.of(), (@Nullable Recovery) null);

        public Nodes {
            joined = List.copyOf(joined);
            gone = List.copyOf(gone);
            lost = List.copyOf(lost);
            settled = List.copyOf(settled);
            owners = List.copyOf(owners);
        }

        /** Returns the difference of nodes that have gone, of which some count as lost. */
        static Nodes gone(List<Place> gone, List<Loss> lost) {
            return new Nodes(List.of(), gone, lost, List.of(), List.of(), null);
        }

        /** Returns the difference of what happens when a lost node comes back. */
        static Nodes recovery(Recovery recovery) {
            return new Nodes(List.of(), List.of(), List.of(), List.of(), List.of(), recovery);
        }
    }

    /** A role and a rank, which one node at a time has. */
    public record Place(Role role, int rank) {
        static Place of(Member member) {
            return new Place(member.role(), member.rank());
        }
    }

    /**
     * The rules for a node that takes the place of a lost one.
     *
     * @param models the models of whose checkpoints the slices of a lost server are loaded
     * @param rollback the epoch of the last rollback, at which all workers have to load a checkpoint; 0 for none
     * @param dropped the tensors that have lost slices which no checkpoint has, and are not declared anew; the latest
     *     ones
     */
    public record Recovery(List<Model> models, long rollback, List<TensorId> dropped) {
        /** No model has a checkpoint. */
        public static final Recovery NONE = new Recovery(List.of(), 0, List.of());

        /** The most tensors of {@code dropped}: each is in every state of the cluster. */
        private static final int MOST_DROPPED = 1000;

        public Recovery {
            models = List.copyOf(models);
            dropped = List.copyOf(dropped);
        }

        /** Returns the same with a tensor that has lost slices. */
        Recovery withDropped(TensorId tensor) {
            List<TensorId> now = new ArrayList<>(withoutDropped(List.of(tensor)).dropped);
            now.add(tensor);
            return new Recovery(models, rollback, now.subList(Math.max(0, now.size() - MOST_DROPPED), now.size()));
        }

        /** Returns the same without tensors that are declared anew. */
        Recovery withoutDropped(List<TensorId> declared) {
            return new Recovery(
                    models,
                    rollback,
                    dropped.stream().filter(each -> !declared.contains(each)).toList());
        }

        /** Returns the same with a rollback. */
        Recovery rolledBack(long epoch) {
            return new Recovery(models, epoch, dropped);
        }

        /** True if all workers go back to a checkpoint when a lost node comes back. */
        boolean isExact() {
            return models.stream().anyMatch(Model::all);
        }

        /** Returns the same with a model, in the place of an earlier one of its name. */
        Recovery with(Model model) {
            List<Model> now = new ArrayList<>(without(model.name()).models);
            now.add(model);
            return new Recovery(now, rollback, dropped);
        }

        /** Returns the same without the model of a name. */
        Recovery without(String name) {
            return new Recovery(
                    models.stream().filter(each -> !each.name().equals(name)).toList(), rollback, dropped);
        }
    }

    /**
     * A model with checkpoints.
     *
     * @param all true if all slices go back to a checkpoint when a lost node comes back; false if the lost slices alone
     *     do
     */
    public record Model(String name, boolean all) {}

    /**
     * A node that is present.
     *
     * @param since the epoch in which it joined: 1 for a node with which the cluster formed
     */
    public record Node(Member member, long since) {}

    /**
     * A node that counts as lost.
     *
     * @param awaited true for a node that is expected to come back: calls wait for a server, and the other workers for
     *     a worker
     */
    public record Loss(Member member, String reason, boolean awaited) {
        /** True for a worker that counts as present, since the others go back to a checkpoint with it. */
        boolean isOfAwaitedWorker() {
            return awaited && member.role() == Role.WORKER;
        }
    }

    /**
     * A tensor and the place of its slices.
     *
     * @param lanes the number from which the lanes of the slices are derived
     * @param declared the epoch in which the tensor was declared
     * @param version the epoch in which it was placed there
     */
    public record Placed(TensorDeclaration declaration, Slices slices, long lanes, long declared, long version) {
        static Placed of(TensorDeclaration declaration, TensorLayout layout) {
            Slices slices = new Slices(
                    layout.bounds(),
                    layout.servers(),
                    layout.copies().stream().map(Copies::new).toList());
            return new Placed(declaration, slices, layout.lanes(), layout.declared(), layout.version());
        }

        static Placed of(DeclaredTensor tensor) {
            return of(tensor.declaration(), tensor.layout());
        }

        DeclaredTensor tensor() {
            TensorLayout layout = new TensorLayout(
                    declaration.info(),
                    slices.bounds,
                    slices.servers,
                    slices.copies.stream().map(Copies::servers).toList(),
                    lanes,
                    declared,
                    version);
            return new DeclaredTensor(declaration, layout);
        }
    }

    /**
     * The slices of a tensor.
     *
     * @param bounds [slices + 1], the first key of each slice, and the number of rows as the last element
     * @param servers [slices], the rank of each slice's first server, which answers the calls on it
     * @param copies [slices], each slice's other servers; [0] if no slice has others
     */
    public record Slices(List<Long> bounds, List<Integer> servers, List<Copies> copies) {}

    /** The ranks of a slice's servers besides the first. */
    public record Copies(List<Integer> servers) {}
}
