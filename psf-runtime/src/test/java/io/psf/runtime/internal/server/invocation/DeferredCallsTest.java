package io.psf.runtime.internal.server.invocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.Waiting;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.internal.call.Numbers;
import io.psf.runtime.internal.server.lane.CallOrder;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.session.Admission;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.RecordedChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The calls that wait, by their peers. */
final class DeferredCallsTest {
    private final FramePool pool = new FramePool(0);
    private final Admission admission = new Admission("test", pool, () -> false, () -> false, () -> {});
    private final DeferredCalls calls = new DeferredCalls();
    private final List<WaitingCall> ended = new ArrayList<>();
    /** How many times a call was asked for its number. */
    private int asked;

    private final class WaitingCall implements DeferredCalls.DeferredCall {
        private final Connection connection;
        private final long call;

        WaitingCall(Connection connection, long call) {
            this.connection = connection;
            this.call = call;
        }

        @Override
        public Connection connection() {
            return connection;
        }

        @Override
        public long call() {
            asked++;
            return call;
        }

        @Override
        public FunctionInfo function() {
            return new Numbers("wait", Place.SERVER, true).info();
        }

        @Override
        public @Nullable CallOrder order() {
            return null;
        }

        @Override
        public @Nullable Object shard() {
            return null;
        }

        @Override
        public Lane lane() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long arrivedAt() {
            return 0;
        }

        @Override
        public boolean isCounted() {
            return false;
        }

        @Override
        public Waiting waiting(long now, boolean explained) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isDropped() {
            return false;
        }

        @Override
        public boolean isDue(long now) {
            return false;
        }

        @Override
        public void end(PsException why) {
            ended.add(this);
        }

        @Override
        public void endIfHolding(PsException why) {}
    }

    private Connection connection() {
        return new Connection(new RecordedChannel(), pool, 1 << 20, admission);
    }

    private WaitingCall waiting(Connection connection, long call) {
        WaitingCall waiting = new WaitingCall(connection, call);
        calls.add(waiting);
        return waiting;
    }

    /** A frame has 8,000 numbers, and a node has 100,000 calls that wait. */
    @Test
    void cancellingLooksAtEachCallOfThePeerOnceAndAtNoOther() {
        Connection one = connection();
        Connection other = connection();
        Set<Long> numbers = LongStream.range(0, 8000).boxed().collect(Collectors.toSet());
        for (int call = 7000; call < 9000; call++) {
            waiting(one, call);
            waiting(other, call);
        }
        asked = 0;
        calls.cancel(one, numbers);
        assertThat(ended).hasSize(1000).allMatch(call -> call.connection == one && call.call < 8000);
        assertThat(asked).isEqualTo(2000);
    }

    @Test
    void aPeerThatIsGoneLeavesNothingAndItsCallsEnd() {
        Connection gone = connection();
        Connection other = connection();
        Set<WaitingCall> its = new HashSet<>();
        for (int call = 0; call < 5; call++) {
            its.add(waiting(gone, call));
            waiting(other, call);
        }
        gone.close();
        calls.abandon(gone);
        assertThat(ended).containsExactlyInAnyOrderElementsOf(its);
        its.forEach(calls::remove);
        WaitingCall late = waiting(gone, 6);
        assertThat(ended).contains(late);
        assertThat(calls.size()).isEqualTo(5);
    }
}
