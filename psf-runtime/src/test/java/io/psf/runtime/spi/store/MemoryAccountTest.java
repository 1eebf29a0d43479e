package io.psf.runtime.spi.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.PsException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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
    void whatIsClaimedIsAtMostTheLimit() {
        try (MemoryAccount account = new MemoryAccount(MemoryLimit.of(1000))) {
            account.claim("a", 600);
            assertThatThrownBy(() -> account.claim("b", 401))
                    .isInstanceOf(PsException.class)
                    .hasMessage(
                            "RESOURCE_EXHAUSTED: memory for b: 401 bytes (expected: at most 400, the free part of 1000,"
                                    + " the limit for the tensors of this server: PSF_TENSOR_MEMORY)");
            account.claim("b", 400);
            account.unclaim(600);
            account.claim("c", 600);
            assertThat(account.allocated()).isEqualTo(1000);
        }
    }

    @Test
    void whatIsClaimedIsAtMostWhatTheMachineHas() {
        AtomicLong free = new AtomicLong(100L << 20);
        MemoryLimit limit = new MemoryLimit(1L << 40, free::get, "a test's");
        try (MemoryAccount account = new MemoryAccount(limit)) {
            assertThatThrownBy(() -> account.claim("a", 101L << 20))
                    .hasMessageContaining("at most 104857600, the free part");
            account.claim("a", 100L << 20);
            free.set(0);
            assertThatThrownBy(
                            () -> { // small claims, which ask the machine now and then
                                for (int i = 0; i < 20; i++) {
                                    account.claim("b", 1 << 20);
                                }
                            })
                    .hasMessageContaining("1048576 bytes (expected: at most 0, the free part");
        }
    }

    @Test
    void withoutASettingTheMachineIsTheLimit() {
        MemoryLimit limit = MemoryLimit.of(0);
        assertThat(limit.most()).isBetween(1L << 20, 1L << 50);
        try (MemoryAccount account = new MemoryAccount(limit)) {
            assertThatThrownBy(() -> account.claim("a", 1L << 50)) // claims only: nothing is allocated
                    .hasMessageContaining("memory for a: 1125899906842624 bytes (expected: at most ")
                    .hasMessageContaining("PSF_TENSOR_MEMORY sets another");
            assertThat(account.allocated()).isZero();
        }
    }

    @Test
    void memoryThatWasGivenUpIsCollectedForAClaim() {
        try (MemoryAccount account = new MemoryAccount(MemoryLimit.of(1000))) {
            account.claim("a", 900);
            account.enter(new Object(), 900, freed::incrementAndGet).giveUp(900);
            account.claim("b", 900);
            assertThat(freed).hasValue(1);
            assertThat(account.allocated()).isEqualTo(900);
        }
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
            collected.await();
            await().forever().until(() -> other.givenUp() == 0); // memory leaves the account after it was freed
            assertThat(account.givenUp()).isEqualTo(10 * MUCH);
            assertThat(freed).hasValue(0);
            assertThat(used).hasSize(10);
        }
    }
}
