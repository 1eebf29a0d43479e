package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorDeclaration.Rounds;
import io.psf.api.TensorDeclaration.Rule;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatTypes;
import io.psf.api.array.LongArray;
import io.psf.api.spi.FunctionCaller;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.internal.checkpoint.DeleteModelPsf;
import io.psf.builtin.internal.checkpoint.RecordEntry;
import io.psf.builtin.internal.partial.PartialReduceMeanPsf;
import io.psf.builtin.internal.partial.PartialReducePartnersPsf;
import io.psf.builtin.internal.reports.ReportScalarPsf;
import io.psf.builtin.internal.ssp.SspInitPsf;
import io.psf.builtin.internal.training.JoinModelPsf;
import io.psf.builtin.internal.training.LeaveTrainingPsf;
import io.psf.builtin.internal.training.TellStepPsf;
import io.psf.builtin.push.SumOverSlicesPsf;
import io.psf.builtin.tensor.InitTensorPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.internal.cluster.BarrierPsf;
import io.psf.runtime.internal.cluster.DeclarePsf;
import io.psf.runtime.internal.cluster.RestoreFromPsf;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The bounds of the memory that peers can make a node hold. In each case a peer gives names, keys or numbers that are
 * all different, and gets an error at the bound. SECURITY.md lists all bounds, and the tests of the other ones.
 */
@Timeout(60)
final class MemoryLawTest {
    private static final TensorId W = TensorId.of("w");
    private static final TensorId OF_SUMS = TensorId.of("of sums");

    @TempDir
    Path folder;

    /** Makes the i-th call, each with a name of its own. */
    @FunctionalInterface
    private interface Way {
        Pending<?> call(FunctionCaller caller, int i);
    }

    /**
     * A way in.
     *
     * @param most how many calls are accepted
     * @param waits true if the calls are not answered
     * @param refusal a part of the next call's refusal
     */
    private record Case(String name, int most, boolean waits, String refusal, Way way) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> waysOfAWorker() {
        return Stream.of(
                new Case(
                        "groups of SSP",
                        4096,
                        false,
                        "groups of workers, with group 4096: 4097",
                        (caller, i) -> SspInitPsf.stub(caller).call(i, 2, 1)),
                new Case(
                        "series of reported values",
                        1024,
                        false,
                        "series of reported values, with t1024: 1025",
                        (caller, i) -> ReportScalarPsf.stub(caller).call(0, "t" + i, 0, 0)),
                new Case(
                        "training loops",
                        1024,
                        false,
                        "training loops, with the loop of model \"m1024\": 1025",
                        (caller, i) -> TellStepPsf.stub(caller).call(0, "m" + i, 5, 10, 0, false)),
                new Case(
                        "models that are saved",
                        1000,
                        false,
                        "models that this job saves, with \"m1000\": 1001",
                        (caller, i) -> DeleteModelPsf.stub(caller).call(0, "m" + i)),
                new Case(
                        "models of whose checkpoints slices are loaded",
                        1000,
                        false,
                        "models with checkpoints, with \"m1000\": 1001",
                        (caller, i) -> RestoreFromPsf.stub(caller).call("m" + i, false, false, 0)),
                new Case(
                        "calls that wait at a server",
                        4096,
                        true,
                        waiting("psf.preduce.partners"),
                        (caller, i) -> PartialReducePartnersPsf.stub(caller).call(0x10000L * i, 0, 2, 600_000)),
                new Case(
                        "calls that wait for a state",
                        4096,
                        true,
                        waiting("psf.init"),
                        (caller, i) -> InitTensorPsf.stub(caller).call(List.of(W), 1_000_000 + i)),
                new Case(
                        "calls that wait at a shard in no order",
                        4096,
                        true,
                        waiting("psf.push.sums"),
                        (caller, i) -> sums(caller, i, 0, 2, new double[1])),
                new Case(
                        "calls that wait at the scheduler",
                        4096,
                        true,
                        waiting("psf.barrier"),
                        (caller, i) -> BarrierPsf.stub(caller).call(0)),
                new Case(
                        "a sum that is long",
                        0,
                        false,
                        "sums: 65 over 1 slices (expected: at most 64",
                        (caller, i) -> sums(caller, i, 0, 1, new double[65])),
                new Case(
                        "partners of a mean",
                        0,
                        false,
                        "partners: 16385 (expected: at most 16384)",
                        (caller, i) -> PartialReduceMeanPsf.stub(caller)
                                .call(W, 0, 0, IntStream.range(0, 16385).toArray(), FloatArray.allocate(4))),
                new Case(
                        "the entries of a record",
                        0,
                        false,
                        "record: 4097 entries",
                        (caller, i) -> JoinModelPsf.stub(caller).call(0, "m", "save", entries(4097, ""))),
                new Case(
                        "the length of a record",
                        0,
                        false,
                        "record: 100002 characters",
                        (caller, i) ->
                                LeaveTrainingPsf.stub(caller).call(0, "m", entries(1, "x".repeat(100_000)), false, 0)),
                new Case(
                        "the name of a model",
                        0,
                        false,
                        "name of model: \"xxx",
                        (caller, i) -> TellStepPsf.stub(caller).call(0, "x".repeat(100_000), 5, 10, 0, false)),
                new Case(
                        "the name of a model to restore",
                        0,
                        false,
                        "name of model: \"xxx",
                        (caller, i) -> RestoreFromPsf.stub(caller).call("x".repeat(201), false, false, 0)),
                new Case(
                        "the length of a declaration",
                        0,
                        false,
                        "declaration of tensor \"t\"",
                        (caller, i) ->
                                DeclarePsf.stub(caller).call(List.of(declaration("t", 1, 1, "x".repeat(10_000))), 1)));
    }

    private static String waiting(String function) {
        return "that wait on this node: 4097, the last one of \"" + function + "\" (expected: at most 4096;";
    }

    private static Pending<?> sums(FunctionCaller caller, int push, int slice, int slices, double[] part) {
        return SumOverSlicesPsf.stub(caller).call(OF_SUMS, LongArray.of(0), 0, push, 0, slice, slices, part);
    }

    private static List<RecordEntry> entries(int count, String value) {
        return IntStream.range(0, count)
                .mapToObj(i -> new RecordEntry(0, "k" + i, value))
                .toList();
    }

    private static TensorDeclaration declaration(String name, int rows, int slices, String argument) {
        return new TensorDeclaration(
                new TensorInfo(TensorId.of(name), rows, 1, FloatTypes.FLOAT32),
                slices,
                "",
                "host",
                new Rule("psf.constant", Map.of("value", argument), Map.of()),
                Rule.NONE,
                Rounds.NONE,
                Map.of(),
                "");
    }

    @ParameterizedTest
    @MethodSource("waysOfAWorker")
    void aWorkerIsRefusedAtTheBound(Case way) {
        try (PsCluster cluster =
                PsCluster.builder().workers(2).checkpoints(folder).start()) {
            Tensors.init(cluster.worker(), TensorSpec.dense("w", 4));
            Tensors.init(cluster.worker(), TensorSpec.dense("of sums", 4));
            requireBound(way, cluster.worker());
            assertThat(Tensors.pull(cluster.worker(1), W))
                    .as("of another worker")
                    .hasSize(4);
        }
    }

    private static void requireBound(Case way, FunctionCaller caller) {
        List<Pending<?>> sent = new ArrayList<>();
        for (int i = 0; i < way.most; i++) {
            sent.add(way.way.call(caller, i));
        }
        Pending<?> last = way.way.call(caller, way.most);
        PsException refusal = catchThrowableOfType(PsException.class, last::await);
        assertThat(refusal).as("the refusal of call %d", way.most).isNotNull().hasMessageContaining(way.refusal);
        assertThat(refusal.code()).isIn(Code.RESOURCE_EXHAUSTED, Code.BAD_REQUEST);
        for (Pending<?> each : sent) {
            if (way.waits) {
                assertThat(each.toCompletableFuture()).isNotDone();
            } else {
                var unused = each.await();
            }
        }
        sent.forEach(Pending::cancel);
    }

    /** Cancelled calls do not count: a flood of them is not refused, and no memory is held afterwards. */
    @Test
    void callsThatAreGivenUpMakeWay() throws Exception {
        try (PsCluster cluster = PsCluster.builder().workers(2).start()) {
            Tensors.init(cluster.worker(), TensorSpec.dense("of sums", 4));
            for (int i = 0; i < 10_000; i++) {
                Pending<?> partners =
                        PartialReducePartnersPsf.stub(cluster.worker()).call(0x10000L * i, 0, 2, 600_000);
                Pending<?> sum = sums(cluster.worker(), i, 0, 2, new double[1]);
                partners.cancel();
                sum.cancel();
            }
            PartialReducePartnersPsf.stub(cluster.worker())
                    .call(5, 0, 1, 0)
                    .toCompletableFuture()
                    .get();
            sums(cluster.worker(), 10_001, 0, 1, new double[1])
                    .toCompletableFuture()
                    .get();
        }
    }
}
