package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.acceptance.Page.Block;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The README's function as a new user makes it: a clone in an empty folder, psf's own script, Maven, and a project
 * beside it. Offline, from a local repository that has all that this build's repository has, but nothing of psf.
 */
@Tag("new-user")
@Timeout(1200)
final class NewUserTest {
    private static final Pattern NAME = Pattern.compile("^public (?:final class|interface) (\\w+)", Pattern.MULTILINE);
    /** The files of the README that are saved in the project. */
    private static final List<String> SAVED = List.of("Axpy", "AxpyOnHost", "Main");

    @TempDir
    private Path folder;

    @Test
    void theFunctionOfTheReadmeRunsUnderLaunch() throws Exception {
        try (NewUser user = NewUser.in(folder)) {
            user.settings("<offline>true</offline>");
            run(user);
        }
    }

    private void run(NewUser user) throws Exception {
        long begin = System.nanoTime();
        Path checkout = user.cloneInto("psf");
        List<Block> readme = Page.blocks(checkout.resolve("README.md"));
        user.run(checkout, commands(readme, "./psf new function axpy "));
        assertThat(user.repository().resolve("io/psf/psf-api")).isDirectoryRecursivelyContaining("glob:**-sources.jar");
        for (Block block : readme) {
            Matcher name = NAME.matcher(block.text());
            if (name.find() && SAVED.contains(name.group(1))) {
                Files.writeString(folder.resolve("axpy/src/main/java/acme/" + name.group(1) + ".java"), block.text());
            }
        }
        List<String> lines = user.run(checkout, commands(readme, "mvn -f ../axpy package "));
        assertThat(lines).contains("[worker 0] norm 2000.0").anyMatch(line -> line.contains("BUILD SUCCESS"));
        System.out.printf(
                "a clone, and the README's function under ./psf launch: %d s%n",
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin));
    }

    /** Returns the block of commands that begins so. */
    private static String commands(List<Block> blocks, String first) {
        return blocks.stream()
                .filter(block -> block.language().equals("commands")
                        && Page.commands(block).get(0).startsWith(first))
                .findFirst()
                .orElseThrow()
                .text();
    }
}
