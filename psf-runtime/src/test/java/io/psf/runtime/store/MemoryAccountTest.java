package io.psf.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class MemoryAccountTest {
    private static final long MUCH = 200L << 20;

    private final AtomicInteger freed = new AtomicInteger();

    private AccountEntry add(MemoryAccount account, Object memory, long bytes) {
        return account.add(memory, bytes, freed::incrementAndGet);
    }

    @Test
    void memoryThatIsFreedLeavesTheAccount() {
        try (MemoryAccount account = new MemoryAccount()) {
            Object memory = new Object();
            AccountEntry entry = add(account, memory, 100);
            AccountEntry other = add(account, memory, 10);
            entry.giveUp(60);
            entry.giveUp(60);
            assertThat(account.allocated()).isEqualTo(110);
            assertThat(account.givenUp()).isEqualTo(60);
            entry.run();
            entry.giveUp(60);
            assertThat(account.allocated()).isEqualTo(10);
            assertThat(account.givenUp()).isZero();
            other.run();
            assertThat(account.allocated()).isZero();
            assertThat(freed).hasValue(2);
        }
    }

    /** Adds memory that is unreachable at once, until some of it has been freed. */
    private void addUntilFreed(MemoryAccount account, boolean givesUp) {
        int added = 0;
        while (freed.get() == 0) {
            if (added - freed.get() < 100) {
                AccountEntry entry = add(account, new Object(), givesUp ? 0 : MUCH);
                added++;
                if (givesUp) {
                    entry.giveUp(MUCH);
                }
            } else {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void memoryThatIsUnreachableIsCollectedOnceMuchIsAllocated() {
        try (MemoryAccount account = new MemoryAccount()) {
            addUntilFreed(account, false);
        }
    }

    @Test
    void memoryThatWasGivenUpIsCollectedOnceItIsMuch() {
        try (MemoryAccount account = new MemoryAccount()) {
            addUntilFreed(account, true);
        }
    }

    @Test
    void accountsAreIndependent() throws InterruptedException {
        try (MemoryAccount account = new MemoryAccount();
                MemoryAccount other = new MemoryAccount()) {
            List<Object> used = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                Object memory = new Object();
                used.add(memory);
                add(account, memory, MUCH).giveUp(MUCH);
            }
            CountDownLatch collected = new CountDownLatch(1);
            other.add(new Object(), 0, collected::countDown).giveUp(1);
            other.exhausted();
            assertThat(collected.await(30, TimeUnit.SECONDS)).isTrue();
            await().until(() -> other.givenUp() == 0); // memory leaves the account after it was freed
            assertThat(account.givenUp()).isEqualTo(10 * MUCH);
            assertThat(freed).hasValue(0);
            assertThat(used).hasSize(10);
        }
    }
}
