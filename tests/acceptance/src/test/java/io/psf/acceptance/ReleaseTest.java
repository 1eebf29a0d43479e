package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A release as CONTRIBUTING.md makes it, up to the bundle that would be uploaded: signed, the same from another folder,
 * and enough for a project of a user.
 */
@Tag("new-user")
@Timeout(3000)
final class ReleaseTest {
    private static final String VERSION = "git ls-files '*pom.xml' | xargs sed -i 's/%s/%s/'";
    private static final String KEY = """
            gpg --batch --pinentry-mode loopback --passphrase secret --quick-generate-key test@psf.example ed25519
            gpg --batch --pinentry-mode loopback --passphrase secret --armor --export-secret-keys >key.asc
            gpgconf --kill gpg-agent
            """;
    /** The commands of CONTRIBUTING.md. */
    private static final String RELEASE = """
            export MAVEN_GPG_KEY="$(cat %s)" MAVEN_GPG_PASSPHRASE=secret
            mvn -B -ntp -Prelease,spark clean deploy -Dmaven.test.skip -DskipUpload=true
            """;

    private static final String BUNDLE = "psf-bom/target/central-publishing/central-bundle.zip";

    @TempDir
    private Path folder;

    @Test
    void aReleaseIsWholeTheSameFromAnotherFolderAndEnoughForAProject() throws Exception {
        try (NewUser user = NewUser.in(folder, "gpg", "gpgconf", "unzip", "tar")) {
            user.settings("");
            Path checkout = user.cloneInto("psf");
            Path staged = folder.resolve("staged");
            user.run(folder, KEY);
            user.run(checkout, VERSION.formatted("0.1.0-SNAPSHOT", "0.1.0"));
            user.run(checkout, RELEASE.formatted(folder.resolve("key.asc")));
            user.run(checkout, "unzip -q " + BUNDLE + " -d " + staged);
            requireWhole(user, staged.resolve("io/psf"));
            requireTheSameFromAnotherFolder(user, staged.resolve("io/psf"));
            requireEnoughForAProject(user, staged);
            requireGuarded(user, staged);
        }
    }

    private static void requireWhole(NewUser user, Path staged) throws Exception {
        List<String> published = new ArrayList<>(BomTest.managed());
        published.addAll(List.of("psf-parent", "psf-bom", "psf-dist"));
        try (Stream<Path> artifacts = Files.list(staged)) {
            assertThat(artifacts.map(each -> each.getFileName().toString()))
                    .as("the artifacts of a release")
                    .containsExactlyInAnyOrderElementsOf(published);
        }
        for (String artifact : BomTest.managed()) {
            user.run(
                    staged.resolve(artifact + "/0.1.0"),
                    "ls %1$s-0.1.0{,-sources,-javadoc}.jar %1$s-0.1.0{.pom,-cyclonedx.json}".formatted(artifact));
        }
        user.run(staged, """
                test -f psf-dist/0.1.0/psf-dist-0.1.0.zip -a -f psf-dist/0.1.0/psf-dist-0.1.0.tar.gz
                ! grep -r SNAPSHOT --include=*.pom .
                ! find . -name '*-tests.jar*' | grep .
                for file in $(find . -type f ! -name '*.asc*' ! -name '*.md5' ! -name '*.sha*'); do
                  gpg --quiet --verify $file.asc $file
                  test $(sha1sum <$file | cut -c1-40) = $(cat $file.sha1)
                done
                """);
    }

    private static void requireTheSameFromAnotherFolder(NewUser user, Path staged) throws Exception {
        forget(user);
        Path other = user.cloneInto("another-folder");
        user.run(other, VERSION.formatted("0.1.0-SNAPSHOT", "0.1.0"));
        user.run(other, "mvn -B -ntp -Pspark install -Dmaven.test.skip");
        List<String> compared = user.run(staged, """
                for file in $(find . -name '*.jar' -o -name '*.zip' -o -name '*.tar.gz'); do
                  cmp $file %s/$file
                  echo $file
                done
                """.formatted(user.repository().resolve("io/psf")));
        assertThat(compared).hasSize(3 * BomTest.managed().size() + 2);
    }

    /** Takes psf from the staged files as from a remote repository. */
    private static void requireEnoughForAProject(NewUser user, Path staged) throws Exception {
        forget(user);
        user.settings("<mirrors><mirror><id>staged</id><mirrorOf>central</mirrorOf><url>" + staged.toUri()
                + "</url></mirror></mirrors>");
        Path work = Files.createDirectories(staged.resolveSibling("work"));
        user.run(work, "tar xzf %s/io/psf/psf-dist/0.1.0/psf-dist-0.1.0.tar.gz".formatted(staged));
        List<String> said = user.run(work, "psf-0.1.0/bin/psf new clicks && cd clicks && mvn -B -ntp test");
        assertThat(said).anyMatch(line -> line.contains("BUILD SUCCESS"));
        assertThat(user.repository().resolve("io/psf/psf-builtin/0.1.0/psf-builtin-0.1.0.jar"))
                .exists();
    }

    /** A public method that is gone stops the next release. */
    private static void requireGuarded(NewUser user, Path staged) throws Exception {
        user.settings(""); // the plugin that compares comes from Central, the release from the local repository
        Path other = staged.resolveSibling("another-folder");
        user.run(other, VERSION.formatted("0.1.0<", "0.2.0-SNAPSHOT<"));
        String compare = "mvn -B -ntp -Papi verify -Dmaven.test.skip -Dpsf.earlier=0.1.0 -pl psf-api -am";
        user.run(other, compare);
        user.run(
                other,
                "sed -i 's/public String detail()/String detail()/' psf-api/src/main/java/io/psf/api/PsException.java");
        assertThat(user.fail(other, compare)).anyMatch(line -> line.contains("io.psf.api.PsException.detail()"));
    }

    private static void forget(NewUser user) throws IOException {
        Path psf = user.repository().resolve("io/psf");
        try (Stream<Path> all = Files.walk(psf)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
