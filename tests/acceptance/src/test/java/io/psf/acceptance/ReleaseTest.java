package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A release as CONTRIBUTING.md makes it, up to the bundle that would be uploaded: signed, the same from another folder, and
 * enough for a project of a user.
 */
@Tag("new-user")
@Timeout(3000)
final class ReleaseTest {
    private static final String ARTIFACTS =
            "for artifact in psf-api psf-processor psf-testkit psf-runtime psf-builtin psf-netty psf-chronicle psf-vector psf-kvstore"
                    + " psf-interchange handlers-gpu psf-cli; do ";
    private static final String VERSION = "git ls-files '*pom.xml' | xargs sed -i 's/%s/%s/'";

    @TempDir
    private Path folder;

    @Test
    void aReleaseIsWholeTheSameFromAnotherFolderAndEnoughForAProject() throws Exception {
        try (NewUser user = NewUser.in(folder, "gpg", "unzip", "tar")) {
            user.settings("");
            Path checkout = user.cloneInto("psf");
            Path staged = Files.createDirectories(folder.resolve("staged"));
            user.run(checkout, VERSION.formatted("0.1.0-SNAPSHOT", "0.1.0"));
            user.run(
                    checkout,
                    "gpg --batch --pinentry-mode loopback --passphrase secret --quick-generate-key test@psf.example ed25519\n"
                            + "export MAVEN_GPG_PASSPHRASE=secret\n"
                            + "export MAVEN_GPG_KEY=\"$(gpg --batch --pinentry-mode loopback --passphrase secret --armor"
                            + " --export-secret-keys)\"\n"
                            + "mvn -B -ntp -Prelease deploy -Dmaven.test.skip -DskipUpload=true\n"
                            + "unzip -q target/central-publishing/central-bundle.zip -d " + staged);
            requireWhole(user, staged);
            requireTheSameFromAnotherFolder(user, staged);
            requireEnoughForAProject(user, staged);
            requireGuarded(user, staged);
        }
    }

    private static void requireWhole(NewUser user, Path staged) throws Exception {
        user.run(staged.resolve("io/psf"), ARTIFACTS + """
                for file in $artifact/0.1.0/$artifact-0.1.0{,-sources,-javadoc}.jar $artifact/0.1.0/$artifact-0.1.0{.pom,-cyclonedx.json}; do
                  gpg --quiet --verify $file.asc $file
                  test $(sha1sum <$file | cut -c1-40) = $(cat $file.sha1)
                done
                done
                for artifact in psf-parent psf-bom; do gpg --quiet --verify $artifact/0.1.0/$artifact-0.1.0.pom.asc; done
                test -f psf-dist/0.1.0/psf-dist-0.1.0.zip -a -f psf-dist/0.1.0/psf-dist-0.1.0.tar.gz
                """);
        try (Stream<Path> artifacts = Files.list(staged.resolve("io/psf"))) {
            assertThat(artifacts.map(each -> each.getFileName().toString()))
                    .as("what a release has beside the jars")
                    .contains("psf-parent", "psf-bom", "psf-dist")
                    .doesNotContain("psf-examples", "psf-acceptance", "psf-fuzz", "psf-benchmarks", "psf-test-counts");
        }
    }

    private static void requireTheSameFromAnotherFolder(NewUser user, Path staged) throws Exception {
        Path other = user.cloneInto("another-folder");
        user.run(other, VERSION.formatted("0.1.0-SNAPSHOT", "0.1.0"));
        user.run(other, "mvn -B -ntp package -Dmaven.test.skip -pl psf-dist,psf-processor,psf-testkit -am");
        user.run(other, ARTIFACTS + """
                file=$(ls {,extensions/}$artifact/target/$artifact{-0.1.0,}.jar 2>/dev/null | head -1)
                cmp $file %1$s/io/psf/$artifact/0.1.0/$artifact-0.1.0.jar
                done
                cmp psf-dist/target/psf-0.1.0.zip %1$s/io/psf/psf-dist/0.1.0/psf-dist-0.1.0.zip
                """.formatted(staged));
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

    /** A type that is gone stops the next release. */
    private static void requireGuarded(NewUser user, Path staged) throws Exception {
        Path other = staged.resolveSibling("another-folder");
        user.run(other, VERSION.formatted("0.1.0<", "0.2.0-SNAPSHOT<"));
        String compare = "mvn -B -ntp -Papi verify -DskipTests -Dmaven.test.skip -Dpsf.earlier=0.1.0 -pl psf-api";
        user.run(other, compare);
        user.run(other, "git rm -q psf-api/src/main/java/io/psf/api/Since.java");
        assertThat(user.fail(other, compare)).anyMatch(line -> line.contains("io.psf.api.Since"));
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
