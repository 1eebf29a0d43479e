package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Any legal stage is an answer, and a call ends whatever its stage can do. */
@Timeout(60)
final class StagesTest {
    private static final Stages.Response ONE = new Stages.Response(1);
    /** The stage that the handler answers with. */
    private static final BlockingQueue<CompletionStage<Stages.Response>> STAGES = new LinkedBlockingQueue<>();

    private static PsCluster cluster;
    private static TensorId tensor;

    /** What a stage can be. */
    @SuppressWarnings("ImmutableEnumChecker") // stateless lambdas
    enum Shape {
        FUTURE(future -> future),
        MINIMAL(CompletableFuture::minimalCompletionStage),
        NOT_A_FUTURE(future -> ForeignStage.without(Set.of("toCompletableFuture"), future)),
        TWICE(ForeignStage::twice),
        OWN_FUTURE(future -> {
            CompletableFuture<Stages.Response> own = new ReadOnlyFuture<>();
            future.whenComplete((value, failure) -> {
                if (failure == null) {
                    own.obtrudeValue(value);
                } else {
                    own.obtrudeException(failure);
                }
            });
            return own;
        });

        private final Function<CompletableFuture<Stages.Response>, CompletionStage<Stages.Response>> of;

        Shape(Function<CompletableFuture<Stages.Response>, CompletionStage<Stages.Response>> of) {
            this.of = of;
        }
    }

    /** A future whose callers may not complete it, nor look into it. */
    private static final class ReadOnlyFuture<T> extends CompletableFuture<T> {
        @Override
        public boolean isDone() {
            throw new UnsupportedOperationException("isDone");
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            throw new UnsupportedOperationException("completeExceptionally");
        }

        @Override
        public CompletableFuture<T> toCompletableFuture() {
            throw new UnsupportedOperationException("toCompletableFuture");
        }
    }

    @BeforeAll
    static void start() {
        cluster = PsCluster.builder()
                .handlers(StagesPsf.bind((slice, shard) -> {
                    CompletionStage<Stages.Response> stage = STAGES.poll();
                    return stage == null ? CompletableFuture.completedFuture(ONE) : stage;
                }))
                .start();
        tensor = Tensors.init(cluster.worker(), TensorSpec.dense("t", 4));
    }

    @AfterAll
    static void end() {
        cluster.close();
    }

    private static Pending<Stages.Response> call(CompletionStage<Stages.Response> stage) {
        STAGES.add(stage);
        return StagesPsf.stub(cluster.worker()).call(tensor);
    }

    private static PsException failure(Supplier<?> call) {
        return catchThrowableOfType(PsException.class, call::get);
    }

    /** A later call of the same worker on the shard is answered: nothing holds it back. */
    private static void requireTheNextIsAnswered() {
        assertThat(StagesPsf.stub(cluster.worker()).call(tensor).await(Duration.ofSeconds(10)))
                .isEqualTo(ONE);
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    void aStageThatIsCompleteAnswers(Shape shape) {
        assertThat(call(shape.of.apply(CompletableFuture.completedFuture(ONE))).await())
                .isEqualTo(ONE);
        requireTheNextIsAnswered();
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    void aStageThatCompletesLaterAnswers(Shape shape) {
        CompletableFuture<Stages.Response> future = new CompletableFuture<>();
        Pending<Stages.Response> pending = call(shape.of.apply(future));
        future.completeOnTimeout(ONE, 5, TimeUnit.MILLISECONDS);
        assertThat(pending.await()).isEqualTo(ONE);
        requireTheNextIsAnswered();
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    void aStageThatFailsOrAnswersNullIsAnError(Shape shape) {
        PsException why = new PsException(Code.BAD_REQUEST, "on purpose");
        PsException failed = failure(
                () -> call(shape.of.apply(CompletableFuture.failedFuture(why))).await());
        assertThat(failed.code()).isEqualTo(Code.BAD_REQUEST);
        PsException nothing = failure(() ->
                call(shape.of.apply(CompletableFuture.completedFuture(null))).await());
        assertThat(nothing.code()).isEqualTo(Code.HANDLER_FAILED);
        assertThat(nothing).hasMessageContaining("answer: null");
        requireTheNextIsAnswered();
    }

    /** The user's stage stays as it is where it cannot be ended from outside. */
    @ParameterizedTest
    @EnumSource(Shape.class)
    void aCallWhoseStageNeverCompletesEndsByItsDeadlineOrIsGivenUp(Shape shape) {
        STAGES.add(shape.of.apply(new CompletableFuture<>()));
        Pending<Stages.Response> late = StagesPsf.stub(cluster.worker())
                .withDeadline(Duration.ofMillis(500))
                .call(tensor);
        assertThat(failure(late::await).code()).isEqualTo(Code.TIMED_OUT);
        requireTheNextIsAnswered();
        Pending<Stages.Response> unwanted = call(shape.of.apply(new CompletableFuture<>()));
        await().forever().until(STAGES::isEmpty); // or it may be given up before it is run
        assertThat(unwanted.cancel()).isTrue();
        requireTheNextIsAnswered();
    }

    @Test
    void aStageWhoseCallbacksCannotBeSetIsAnError() {
        CompletableFuture<Stages.Response> future = new CompletableFuture<>();
        PsException e = failure(
                () -> call(ForeignStage.without(Set.of("whenComplete"), future)).await());
        assertThat(e.code()).isEqualTo(Code.HANDLER_FAILED);
        assertThat(e).hasMessageContaining("UnsupportedOperationException: whenComplete");
        future.complete(ONE);
        requireTheNextIsAnswered();
    }
}
