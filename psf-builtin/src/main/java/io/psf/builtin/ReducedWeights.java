package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatTypes;
import io.psf.api.array.LongArray;
import io.psf.builtin.internal.allreduce.LocalShard;
import io.psf.builtin.internal.allreduce.Operation;
import io.psf.builtin.internal.calls.FollowedCall;
import io.psf.builtin.internal.states.PullStates;
import io.psf.builtin.internal.states.PullStatesPsf;
import io.psf.builtin.internal.states.StatePart;
import io.psf.builtin.internal.states.StoreStatesPsf;
import io.psf.builtin.optimizer.Options;
import io.psf.builtin.optimizer.Progress;
import io.psf.builtin.sparse.StoreRowsPsf;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Weights on each worker. The step of a push is made by the thread that learns of the all-reduce's end first. */
final class ReducedWeights implements Weights {
    private static final Logger LOG = LoggerFactory.getLogger(ReducedWeights.class);

    /** The end of the name of the memory in which gradients are combined. */
    private static final String REDUCTION = ".allreduce";

    /** The end of the name of the memory in which numbers of steps are compared. */
    private static final String END = ".epoch";

    private final ClusterCaller worker;
    private final AllReduce reduce;
    private final Operation operation;
    private final LocalShard shard;
    private final float[] values;
    /** The result of the last all-reduce. */
    private final float[] total;
    /** The last push; null before the first one. */
    private @Nullable Pending<?> last;
    /** The steps since the end of the last epoch. */
    private int steps;
    /** Compares the workers' steps; null before the end of the first epoch. */
    private @Nullable AllReduce ends;

    private ReducedWeights(
            ClusterCaller worker, AllReduce reduce, Operation operation, LocalShard shard, float[] values) {
        this.worker = worker;
        this.reduce = reduce;
        this.operation = operation;
        this.shard = shard;
        this.values = values;
        this.total = new float[values.length];
    }

    static ReducedWeights of(ClusterCaller worker, TensorSpec spec) {
        if (spec.updates() == Updates.EACH
                || spec.tensor().grows()
                || !spec.tensor().types().equals(FloatTypes.FLOAT32)
                || !spec.quorum().equals(Quorum.ALL)
                || spec.optimizer().options().containsKey(Options.SKIP)
                || spec.optimizer().options().containsKey(Options.GLOBAL_NORM)) {
            throw new IllegalArgumentException(
                    "reduced weights \"" + spec.tensor().id() + "\": shape "
                            + spec.tensor().shape() + ", updates " + spec.updates() + ", quorum "
                            + spec.quorum() + ", number formats "
                            + spec.tensor().types()
                            + ", optimizer " + spec.optimizer()
                            + " (expected: a fixed number of rows, SUM or MEAN, all workers, FLOAT32, and neither skipNonFinite nor a global norm)");
        }
        int unusedRank = worker.rank(); // refused before anything is sent
        var unused = Tensors.init(worker, spec);
        AllReduce reduce = AllReduce.of(worker, spec.named(spec.tensor().id() + REDUCTION));
        float[] values =
                new float[worker.layout(spec.tensor().id()).length(spec.tensor().width())];
        spec.initializer().fill(values);
        return new ReducedWeights(
                worker,
                reduce,
                spec.updates() == Updates.MEAN ? Operation.MEAN : Operation.SUM,
                new LocalShard(spec.tensor(), spec.optimizer().create(), values),
                values);
    }

    @Override
    public TensorId tensor() {
        return shard.spec().id();
    }

    @Override
    public Pending<?> push(float[] gradient) {
        finish();
        Pending<?> push = new FollowedCall<>(reduce.reduce(operation, gradient, total), reduced -> step());
        last = push;
        return push;
    }

    @Override
    public Pending<?> pull(float[] into) {
        finish();
        if (into.length != values.length) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "pull of \"" + tensor() + "\": " + into.length + " elements (expected: " + values.length + ")");
        }
        System.arraycopy(values, 0, into, 0, values.length);
        return new PendingAll(List.of());
    }

    @Override
    public void endEpoch() {
        finish();
        if (ends == null) {
            ends = AllReduce.of(worker, tensor() + END, 2);
        }
        float[] most = {steps, -steps};
        ends.max(most).await();
        if (most[0] != -most[1]) {
            float[] first = {steps == most[0] ? -worker.rank() : -Float.MAX_VALUE, 0};
            ends.max(first).await();
            if (worker.rank() == -first[0]) {
                store();
            }
            ends.max(first).await(); // it is stored
            if (steps < most[0]) {
                restore();
            }
        }
        steps = 0;
    }

    @Override
    public void store() {
        finish();
        long[] rows = LongStream.range(0, shard.rows()).toArray();
        StoreRowsPsf.stub(worker)
                .call(tensor(), LongArray.wrap(rows), FloatArray.wrap(values))
                .await();
        TensorLayout layout = worker.layout(tensor());
        List<StatePart> state = new ArrayList<>();
        shard.slots().forEach((name, slot) -> {
            for (int slice = 0; slice < layout.slices(); slice++) {
                state.add(part(name, slot, layout.range(slice)));
            }
        });
        StoreStatesPsf.stub(worker).call(tensor(), state, Progress.steps(shard)).await();
    }

    private StatePart part(String name, FloatArray slot, Range range) {
        int width = slot.length() / shard.rows();
        FloatArray rows = slot.slice((int) range.begin() * width, (int) range.end() * width);
        return new StatePart(range.begin(), shard.optimizer().name(), name, width, rows.toArray());
    }

    @Override
    public void restore() {
        try {
            finish();
        } catch (PsException e) { // all that it would have changed is replaced
            LOG.debug("the last push of weights \"{}\", before they are restored: {}", tensor(), e.getMessage());
        }
        last = null;
        Tensors.pull(worker, tensor(), values).await();
        PullStates.Response state = PullStatesPsf.stub(worker).call(tensor()).await();
        shard.slots().values().forEach(slot -> slot.fill(0));
        for (StatePart part : state.parts()) {
            shard.slot(part.slot(), part.width())
                    .copyFrom((int) part.row() * part.width(), FloatArray.wrap(part.values()));
        }
        Progress.setSteps(shard, state.steps());
        steps = 0;
    }

    private void finish() {
        Pending<?> push = last;
        if (push != null) {
            push.await();
        }
    }

    /** Steps the weights by the result of the last all-reduce. */
    private void step() {
        shard.optimizer().apply(shard, FloatArray.wrap(total));
        steps++;
    }
}
