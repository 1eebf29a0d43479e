package io.psf.runtime.internal.server.invocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.Binding;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.RequestHeader;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a chain may be as a step of a task. */
final class ReceivedStepTest {
    private final FramePool pool = new FramePool(1 << 16, 1 << 20);
    private final Lane lane = new Lane("test", pool);

    /** Takes nothing, and answers nothing. */
    private static final class Nothing extends Function<Integer, Integer> {
        Nothing(FunctionInfo info) {
            super(info);
        }

        @Override
        public void write(Integer request, Routing routing, int part, TupleWriter out) {}

        @Override
        public Integer read(TupleReader in) {
            return 0;
        }

        @Override
        public void writeAnswer(Integer answer, TupleWriter out) {}

        @Override
        public Merge<Integer> merge(Integer request, Routing routing, @Nullable Integer into) {
            throw new AssertionError("not reached");
        }
    }

    private static Binding<?, ?> binding(Place place, String schema) {
        FunctionInfo info = FunctionInfo.of("test.nothing", place, false, schema);
        return Binding.shard(new Nothing(info), "handler", (request, shard) -> 0);
    }

    private static final Binding<?, ?> ALLOWED = binding(Place.SHARD, "test.nothing at SHARD (t:tensor) -> ()");

    private @Nullable ReceivedStep step(long task, int number) {
        RequestHeader header = RequestHeader.toNode(ALLOWED.function().info(), 0, 1, 1000);
        RequestHeader.Step step = new RequestHeader.Step(task, number, 0, -number);
        Frame chain = Frames.chain(pool, step, List.of(header), List.of(new TupleWriter()));
        assertThat(RequestHeader.Step.of(chain)).isEqualTo(step);
        return ReceivedStep.of(chain);
    }

    private void assertRefused(long task, int number, Binding<?, ?> binding, String why) {
        ReceivedStep step = Objects.requireNonNull(step(task, number));
        assertThatThrownBy(() -> step.once(binding, lane))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(Code.BAD_REQUEST))
                .hasMessageContaining(why);
    }

    @AfterEach
    void close() {
        lane.close();
    }

    @Test
    void aStepHasATaskAndANumberAndOneFunctionThatChangesAShardAndAnswersNothing() {
        assertThat(step(0, 0)).isNull();
        assertThat(Objects.requireNonNull(step(-1, 1)).once(ALLOWED, lane).kind())
                .isEqualTo(Binding.Kind.SHARD_LATER);
        assertRefused(0, 3, ALLOWED, "step 3 of task 0 (expected: a step from 1 on, and a task other than 0)");
        assertRefused(5, 0, ALLOWED, "step 0 of task 5");
        assertRefused(5, -1, ALLOWED, "step -1 of task 5");
        assertRefused(
                5,
                1,
                binding(Place.SERVER, "test.nothing at SERVER () -> ()"),
                "\"test.nothing\", which runs at SERVER (expected: a function that runs on shards)");
        assertRefused(
                5,
                1,
                binding(Place.SHARD, "test.nothing at SHARD (t:tensor) -> (n:i32 sum)"),
                "which changes something and responds (n:i32 sum) (expected: an empty response; use a push and then a pull)");
        assertRefused(
                5, 1, binding(Place.SHARD, "test.nothing at SHARD (t:tensor) -> () merged"), "responds () merged");
        ReceivedStep step = Objects.requireNonNull(step(5, 1));
        assertThat(step.once(ALLOWED, lane)).isNotNull();
        assertThatThrownBy(() -> step.once(ALLOWED, lane))
                .hasMessageContaining(
                        "\"test.nothing\" is the second function in it that changes something (expected: one)");
    }
}
