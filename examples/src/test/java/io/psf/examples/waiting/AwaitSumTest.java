package io.psf.examples.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.examples.functions.IncrementRows;
import io.psf.examples.functions.IncrementRowsPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.testkit.PsfTest;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class AwaitSumTest {
    private static final TensorId T = TensorId.of("t");

    private static PsfTest<AwaitSum.Request, AwaitSum.Response> test() {
        return PsfTest.of(AwaitSumPsf.bind(new AwaitSum() {}))
                .and(ServerSumPsf.bind(new ServerSum() {}))
                .and(IncrementRowsPsf.bind(new IncrementRows() {}))
                .tensor(T, 20, 2)
                .values(i -> 0);
    }

    @Test
    void theSumIsTheSameOnAnySlices() {
        assertThat(PsfTest.of(ServerSumPsf.bind(new ServerSum() {}))
                        .tensor(T, 25, 2)
                        .values(i -> i)
                        .sameOnAnySlices(new ServerSum.Request(T))
                        .sum())
                .isEqualTo(49 * 50 / 2);
    }

    @Test
    void waitsForTheWholeTensorOnAnySlices() {
        double sum = test().sameOnAnySlices(cluster -> {
            Pending<AwaitSum.Response> pending = AwaitSumPsf.stub(cluster).call(1, T, 10, 5);
            IncrementRowsPsf.Stub increment = IncrementRowsPsf.stub(cluster);
            for (long row : new long[] {0, 19, 7}) {
                cluster.advance(Duration.ofMillis(20));
                assertThat(pending.isDone()).isFalse();
                increment.call(T, LongArray.of(row), FloatArray.of(2, 2)).await();
            }
            cluster.advance(Duration.ofMillis(4));
            assertThat(pending.isDone()).isFalse();
            cluster.advance(Duration.ofMillis(1));
            return pending.await().sum();
        });
        assertThat(sum).isEqualTo(12);
    }

    @Test
    void isAnsweredAtOnceIfTheSumIsThere() {
        assertThat(test().sameOnAnySlices(new AwaitSum.Request(3, T, 0, 1000)).sum())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void waitsForTwoWorkersOnThreeServers(boolean tcp) {
        PsCluster.Builder builder = PsCluster.builder().servers(3).workers(2);
        try (PsCluster cluster = (tcp ? builder.tcp() : builder).start()) {
            Worker worker = cluster.worker(0);
            TensorSpec spec = TensorSpec.dense("t", 90).slices(7);
            TensorId t = Tensors.init(worker, spec);
            Tensors.init(cluster.worker(1), spec);
            float[] ones = new float[90];
            Arrays.fill(ones, 1);
            Pending<AwaitSum.Response> pending = AwaitSumPsf.stub(worker).call(1, t, 180, 2);
            Tensors.push(worker, t, ones).await();
            assertThat(ServerSumPsf.stub(worker).call(t).await().sum()).isEqualTo(90);
            assertThat(pending.isDone()).isFalse();
            Tensors.push(cluster.worker(1), t, ones).await();
            assertThat(pending.await().sum()).isEqualTo(180);

            Pending<AwaitSum.Response> late =
                    AwaitSumPsf.stub(worker).withDeadline(Duration.ofMillis(30)).call(2, t, 1000, 2);
            assertThatThrownBy(late::await)
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.TIMED_OUT));
        }
    }
}
