package io.psf.runtime.spi.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FramePoolTest {
    private static final int MB = 1 << 20;

    @Test
    void idleMemoryOfOneSizeGivesWayToAnother() {
        FramePool pool = new FramePool(64 * MB, 8 * MB);
        List<Frame> small = new ArrayList<>();
        for (int i = 0; i < 28; i++) {
            small.add(pool.acquire(MB / 4));
        }
        small.forEach(Frame::release);
        assertThat(pool.keptBytes()).isEqualTo(28L * (MB / 4 + 512));
        assertThat(pool.usedBytes()).isZero();

        Frame large = pool.acquire(4 * MB);
        assertThat(pool.usedBytes()).isEqualTo(4 * MB + 512);
        assertThat(pool.keptBytes() + pool.usedBytes()).isLessThanOrEqualTo(8 * MB);
        large.release();
        assertThat(pool.usedBytes()).isZero();
    }

    @Test
    void theArrayOfAnAnswerThatHasNothingElseBeginsAtALineOfTheCache() {
        FramePool pool = new FramePool(MB);
        for (int length : new int[] {4096, 5000, 100_000, MB, 3 * MB + 8}) {
            ByteBuffer buffer = pool.take(length);
            assertThat(buffer.alignmentOffset(Frame.HEADER + 8, 64))
                    .as("length %d", length)
                    .isZero();
            assertThat(buffer.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
            assertThat(buffer.remaining()).isEqualTo(length);
        }
    }

    @Test
    void whatIsAbandonedIsNoLongerInUseAndIsNotLentAgain() {
        FramePool pool = new FramePool(MB, MB);
        Frame frame = pool.acquire(1000);
        assertThat(pool.usedBytes()).isEqualTo(1536);
        frame.abandon();
        assertThat(pool.usedBytes()).isZero();
        assertThat(pool.keptBytes()).isZero();
    }

    @Test
    void moreThanTheBoundIsGivenAndNotKept() {
        FramePool pool = new FramePool(MB, MB);
        Frame one = pool.acquire(MB);
        Frame two = pool.acquire(MB);
        one.release();
        assertThat(pool.keptBytes()).isZero();
        two.release();
        assertThat(pool.usedBytes()).isZero();
    }

    @Test
    void aLargeBufferIsOfTheMemoryThatWasSet() {
        List<ByteBuffer> allocated = new ArrayList<>();
        FramePool pool = new FramePool(MB, 8 * MB);
        Frame before = pool.acquire(MB / 2);
        pool.allocateLarge(bytes -> {
            allocated.add(ByteBuffer.allocateDirect(bytes)); // big-endian, as new buffers are
            return allocated.get(allocated.size() - 1);
        });
        assertThat(pool.take(2 << 10).order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        assertThat(allocated).isEmpty();

        ByteBuffer large = pool.take(4 << 10);
        assertThat(allocated).containsExactly(large);
        assertThat(large.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        assertThat(large.limit()).isEqualTo(4 << 10);
        assertThat(large.capacity()).isEqualTo(FramePool.capacity(4 << 10));

        pool.giveBack(large);
        assertThat(pool.take(4 << 10)).isSameAs(large);
        before.release();
        assertThat(pool.take(MB / 2).capacity()).isEqualTo(FramePool.capacity(MB / 2));
        assertThat(allocated).hasSize(1);
    }

    @Test
    void aLargeBufferIsOrdinaryIfThereIsNoMemory() {
        FramePool pool = new FramePool(MB, 8 * MB);
        pool.allocateLarge(bytes -> null);
        ByteBuffer large = pool.take(MB);
        assertThat(large.isDirect()).isTrue();
        assertThat(large.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        assertThat(pool.usedBytes()).isEqualTo(MB + 512);
    }

    @Test
    void aFailureOfTheMemoryLeavesNothingInUse() {
        FramePool pool = new FramePool(MB, 8 * MB);
        pool.allocateLarge(bytes -> {
            throw new IllegalStateException("no device");
        });
        assertThatThrownBy(() -> pool.take(MB)).hasMessage("no device");
        assertThat(pool.usedBytes()).isZero();
    }

    @Test
    void aTinyFrameTakesLittle() {
        assertThat(FramePool.capacity(56)).isEqualTo(256);
        assertThat(FramePool.capacity(257)).isEqualTo(1536);
        assertThat(FramePool.capacity(MB + 512)).isEqualTo(MB + 512);
        assertThat(FramePool.capacity(MB + 513)).isEqualTo(2 * MB + 512);
    }
}
