package io.psf.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a page is told. */
@Timeout(60)
class FeedTest {
    private final Feed feed = new Feed();

    @Test
    void aPageGetsAllThatIsThereAndThenWhatHasChanged() throws Exception {
        feed.publish(Map.of("a", "1", "b", "2"));
        Feed.Changes first = feed.since(0, 1000);
        assertThat(first.fields()).isEqualTo(Map.of("a", "1", "b", "2"));
        feed.publish(Map.of("a", "1", "b", "3"));
        assertThat(feed.since(first.version(), 1000).fields()).isEqualTo(Map.of("b", "3"));
        assertThat(feed.since(0, 1000).fields()).isEqualTo(Map.of("a", "1", "b", "3"));
    }

    @Test
    void aPageThatComesLaterGetsNothingOld() throws Exception {
        feed.publish(Map.of("a", "1", "b", "2"));
        feed.clear();
        feed.publish(Map.of("a", "1"));
        assertThat(feed.since(0, 1000).fields()).isEqualTo(Map.of("a", "1"));
    }

    @Test
    void aPageWaitsForAChangeOrTheEnd() throws Exception {
        feed.publish(Map.of("a", "1"));
        long known = feed.since(0, 1000).version();
        assertThat(feed.since(known, 1).fields()).isEmpty();
        CompletableFuture<Feed.Changes> waits = CompletableFuture.supplyAsync(() -> {
            try {
                return feed.since(known, 1_000_000);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        feed.publish(Map.of("a", "1")); // no change
        assertThat(waits).isNotDone();
        feed.close();
        assertThat(waits.get().fields()).isEmpty();
    }

    @Test
    void thereAreSoManyPagesAndNoMore() {
        assertThat(feed.isWatched()).isFalse();
        assertThat(feed.enter(1)).isTrue();
        assertThat(feed.enter(1)).isFalse();
        feed.leave();
        assertThat(feed.isWatched()).isFalse();
        assertThat(feed.enter(1)).isTrue();
    }
}
