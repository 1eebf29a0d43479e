package io.psf.runtime.spi.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every store does. */
public abstract class StoreContract {
    protected abstract Store store();

    @Test
    void memoryIsZeroAndHoldsWhatIsWritten() {
        try (Store store = store()) {
            for (int round = 0; round < 20; round++) {
                ByteBuffer memory = store.allocate("w." + round, 1 << 16).bytes();
                assertThat(memory.isDirect()).isTrue();
                assertThat(memory.capacity()).isEqualTo(1 << 16);
                assertThat(memory.alignmentOffset(0, 64)).isZero();
                for (int at = 0; at < 1 << 16; at += 8) {
                    assertThat(memory.getLong(at)).isZero();
                }
                for (int at = 0; at < 1 << 16; at += 8) {
                    memory.putLong(at, ~at);
                }
                assertThat(memory.getLong(4096)).isEqualTo(~4096);
                assertThatThrownBy(() -> memory.get(1 << 16)).isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
    }

    @Test
    void twoAllocationsDoNotOverlap() {
        try (Store store = store()) {
            ByteBuffer one = store.allocate("one", 4096).bytes();
            ByteBuffer two = store.allocate("two", 4096).bytes();
            one.putInt(0, 1);
            two.putInt(0, 2);
            assertThat(one.getInt(0)).isEqualTo(1);
        }
    }

    @Test
    void roomTakesMemoryAsItIsAskedTo() {
        try (Store store = store()) {
            List<Reservation> reservations = new ArrayList<>();
            for (int i = 0; i < 50; i++) { // 100 GB, more than the machine has
                Reservation reservation = store.reserve("reservation." + i, Integer.MAX_VALUE - 8);
                assertThat(reservation.bytes().capacity()).isEqualTo(Integer.MAX_VALUE - 8);
                assertThat(reservation.bytes().alignmentOffset(0, 64)).isZero();
                assertThat(reservation.take(1 << 16)).isBetween(1 << 16, Integer.MAX_VALUE - 8);
                reservation.bytes().putLong((1 << 16) - 8, ~i);
                reservations.add(reservation);
            }
            for (int i = 0; i < 50; i++) {
                assertThat(reservations.get(i).bytes().getLong((1 << 16) - 8)).isEqualTo(~i);
            }
        }
    }

    @Test
    void takingMoreOfARoomLeavesWhatIsWritten() {
        try (Store store = store()) {
            Reservation reservation = store.reserve("room", 3_000_001);
            int taken = 0;
            for (int wanted : new int[] {8, 9, 8, 100_000, 1_000_000, 1_500_000, 3_000_001}) {
                int now = reservation.take(wanted);
                assertThat(now).isBetween(Math.max(wanted, taken), 3_000_001);
                for (int at = 0; at < taken; at++) {
                    assertThat(reservation.bytes().get(at)).isEqualTo((byte) 7);
                }
                for (int at = taken; at < now; at++) {
                    reservation.bytes().put(at, (byte) 7);
                }
                taken = now;
            }
            assertThat(taken).isEqualTo(3_000_001);
        }
    }

    @Test
    void viewsOfMemoryThatWasGivenUpStayValid() {
        try (Store store = store()) {
            List<ByteBuffer> views = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                Allocation memory = store.allocate("w." + i, 4096);
                memory.bytes().putInt(8, i);
                views.add(memory.bytes().slice(8, 4).order(ByteOrder.LITTLE_ENDIAN));
                memory.giveUp(4096);
                memory.giveUp(4096);
            }
            System.gc();
            for (int i = 0; i < 10; i++) {
                assertThat(views.get(i).getInt(0)).isEqualTo(i);
            }
        }
    }
}
