package io.psf.runtime.spi.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory that a system says is left, by files that stand in for those of Linux. */
final class SystemMemoryTest {
    private static final long MB = 1 << 20;

    @TempDir
    private Path root;

    private SystemMemory memory;

    @BeforeEach
    void start() throws IOException {
        memory = new SystemMemory(root);
        write("proc/meminfo", "MemTotal:       24000000 kB\nMemAvailable:    4096000 kB\nSwapFree: 0 kB\n");
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private void group(String folder, String limit, long used, long inactive) throws IOException {
        write(folder + "/memory.max", limit + "\n");
        write(folder + "/memory.current", used + "\n");
        write(folder + "/memory.stat", "anon 5\ninactive_anon 77\ninactive_file " + inactive + "\nactive_file 9\n");
    }

    @Test
    void withoutAGroupItIsThatOfTheMachine() throws IOException {
        assertThat(memory.available()).isEqualTo(4000 * MB);
        Files.delete(root.resolve("proc/meminfo"));
        assertThat(memory.available()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aContainerLeavesItsLimitLessWhatItHasButNotCachesOfFiles() throws IOException {
        write("proc/self/cgroup", "0::/\n");
        group("sys/fs/cgroup", 2000 * MB + "", 1500 * MB, 300 * MB);
        assertThat(memory.available()).isEqualTo(800 * MB);
        group("sys/fs/cgroup", 2000 * MB + "", 2100 * MB, 0);
        assertThat(memory.available()).isZero();
        group("sys/fs/cgroup", "max", 1500 * MB, 0);
        assertThat(memory.available()).isEqualTo(4000 * MB);
    }

    @Test
    void theGroupsAroundItCountToo() throws IOException {
        write("proc/self/cgroup", "0::/job/server 1\n");
        group("sys/fs/cgroup/job/server 1", 3000 * MB + "", 1000 * MB, 0);
        assertThat(memory.available()).isEqualTo(2000 * MB);
        group("sys/fs/cgroup/job", 3000 * MB + "", 2500 * MB, 0); // with other servers
        group("sys/fs/cgroup", "max", 9000 * MB, 0);
        assertThat(memory.available()).isEqualTo(500 * MB);
    }

    /** A container without a namespace for groups: its own group is at the top, the path is that of the machine. */
    @Test
    void aPathThatIsNotVisibleIsPassedOver() throws IOException {
        group("sys/fs/cgroup", 2000 * MB + "", 1500 * MB, 0);
        for (String path : new String[] {"/docker/0123", "/../../other"}) {
            write("proc/self/cgroup", "0::" + path + "\n");
            assertThat(memory.available()).isEqualTo(500 * MB);
        }
    }

    @Test
    void versionOneIsReadToo() throws IOException {
        write("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:hugetlb,memory:/docker/a\n0::/\n");
        String folder = "sys/fs/cgroup/memory/docker/a";
        write(folder + "/memory.limit_in_bytes", 1000 * MB + "\n");
        write(folder + "/memory.usage_in_bytes", 900 * MB + "\n");
        write(folder + "/memory.stat", "inactive_file 1\ntotal_inactive_file " + 200 * MB + "\n");
        assertThat(memory.available()).isEqualTo(300 * MB);
        write(folder + "/memory.limit_in_bytes", "9223372036854771712\n");
        assertThat(memory.available()).isEqualTo(4000 * MB);
    }

    @Test
    void theMachineMayHaveLessThanTheContainerIsAllowed() throws IOException {
        group("sys/fs/cgroup", 8000 * MB + "", 10 * MB, 0);
        assertThat(memory.available()).isEqualTo(4000 * MB);
    }

    @Test
    void thisSystemSaysSomething() {
        assertThat(new SystemMemory(Path.of("/")).available()).isPositive();
    }
}
