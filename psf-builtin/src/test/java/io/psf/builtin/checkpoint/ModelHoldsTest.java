package io.psf.builtin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Pending;
import io.psf.testkit.TestCluster;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Clients that save or load a model take turns. One that has ended holds it no longer after a while. */
class ModelHoldsTest {
    private static final String SAVE = "save of step 1";
    private static final Duration NEARLY = ModelHolds.SILENCE.minusSeconds(1);

    private final TestCluster cluster = TestCluster.of(1, 0);

    private Pending<HoldModel.Response> take(String model) {
        return HoldModelPsf.stub(cluster).call(0, model, SAVE, 0);
    }

    private void renew(String model, long hold) {
        HoldModelPsf.stub(cluster).call(0, model, SAVE, hold).await();
    }

    private void release(String model, long hold) {
        ReleaseModelPsf.stub(cluster).call(0, model, hold).await();
    }

    private void assertOver(long hold) {
        assertThatThrownBy(() -> renew("m", hold))
                .hasMessageContaining("UNAVAILABLE")
                .hasMessageContaining("hold " + hold + " of a client on the checkpoints of model \"m\": over");
        assertThatThrownBy(() ->
                        DiscardModelPsf.stub(cluster).call(0, "m", 1, hold).await())
                .hasMessageContaining("UNAVAILABLE");
        assertThatThrownBy(() -> CommitModelPsf.stub(cluster)
                        .call(0, "m", -1, 1, 1, false, List.of(), List.of(), List.of(), hold)
                        .await())
                .hasMessageContaining("UNAVAILABLE");
    }

    @Test
    void theNextClientHasItsTurnWhenTheFirstReleasesTheModel() {
        long first = take("m").await().hold();
        Pending<HoldModel.Response> second = take("m");
        Pending<HoldModel.Response> third = take("m");
        assertThat(take("other").await().hold()).as("another model").isPositive();
        assertThat(second.isDone()).isFalse();
        release("m", first);
        long now = second.await().hold();
        assertThat(now).isGreaterThan(first);
        assertOver(first);
        release("m", first);
        assertThat(third.isDone())
                .as("after a release by one that holds nothing")
                .isFalse();
        renew("m", now);
        release("m", now);
        assertThat(third.await().hold()).isGreaterThan(now);
    }

    @Test
    void aClientThatIsSilentHoldsTheModelNoLonger() {
        long first = take("m").await().hold();
        Pending<HoldModel.Response> second = take("m");
        for (int i = 0; i < 5; i++) {
            cluster.advance(NEARLY);
            renew("m", first);
        }
        assertThat(second.isDone()).isFalse();
        cluster.advance(NEARLY);
        assertThat(second.isDone()).isFalse();
        cluster.advance(Duration.ofSeconds(1));
        long now = second.await().hold();
        assertOver(first);
        renew("m", now);
        cluster.advance(ModelHolds.SILENCE);
        assertOver(now);
        assertThat(take("m").await().hold()).isGreaterThan(now);
    }

    /** A client that ended while it waited gets its turn and is silent. */
    @Test
    void aClientThatIsGoneDelaysTheNextForAWhile() {
        long first = take("m").await().hold();
        Pending<HoldModel.Response> gone = take("m");
        Pending<HoldModel.Response> next = take("m");
        assertThat(gone.cancel()).isTrue();
        release("m", first);
        cluster.advance(ModelHolds.SILENCE);
        assertThat(next.await().hold()).isGreaterThan(first);
    }
}
