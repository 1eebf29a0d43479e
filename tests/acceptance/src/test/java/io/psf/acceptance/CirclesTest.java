package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The circles of classes in the packages of the modules: sets of classes of which each one depends, by way of others of
 * the package, on every other. A reader of one of them has to read all. A nested class counts as its outer one.
 */
final class CirclesTest {
    /** The most classes in one circle of a package. */
    private static final int MOST = 3;

    private static final List<String> MODULES = Stream.of(
                    "api",
                    "processor",
                    "runtime",
                    "testkit",
                    "builtin",
                    "netty",
                    "chronicle",
                    "vector",
                    "kvstore",
                    "interchange",
                    "dashboard",
                    "gpu",
                    "cli")
            .map(module -> "io.psf." + module)
            .toList();

    /** The packages with larger circles, and the classes in the largest one. A number may only become smaller. */
    private static final Map<String, Integer> LARGER = Map.ofEntries(
            Map.entry("io.psf.api.spi", 6),
            Map.entry("io.psf.builtin.internal.allreduce", 4),
            Map.entry("io.psf.builtin.optimizer", 5),
            Map.entry("io.psf.builtin.internal.ssp", 4),
            Map.entry("io.psf.gpu.driver", 7),
            Map.entry("io.psf.processor.read", 4));

    /** By package, the classes on which each class depends, of the same package. */
    private static Map<String, Map<String, Set<String>>> dependencies() {
        JavaClasses classes =
                new ClassFileImporter().withImportOption(new WithoutTests()).importPackages(MODULES);
        Map<String, Map<String, Set<String>>> all = new TreeMap<>();
        for (JavaClass each : classes) {
            String from = outer(each);
            Set<String> on = all.computeIfAbsent(each.getPackageName(), name -> new TreeMap<>())
                    .computeIfAbsent(from, name -> new TreeSet<>());
            for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (target.getPackageName().equals(each.getPackageName())
                        && !outer(target).equals(from)) {
                    on.add(outer(target));
                }
            }
        }
        return all;
    }

    private static String outer(JavaClass of) {
        String name = of.getName().substring(of.getPackageName().length() + 1);
        return name.contains("$") ? name.substring(0, name.indexOf('$')) : name;
    }

    /** Returns the circles, the largest first. */
    private static List<Set<String>> circles(Map<String, Set<String>> dependencies) {
        Map<String, Set<String>> reached = new TreeMap<>();
        dependencies.keySet().forEach(from -> reached.put(from, reached(from, dependencies)));
        Set<Set<String>> circles = new HashSet<>();
        for (String one : reached.keySet()) {
            Set<String> circle = new TreeSet<>(Set.of(one));
            for (String other : reached.get(one)) {
                if (reached.getOrDefault(other, Set.of()).contains(one)) {
                    circle.add(other);
                }
            }
            circles.add(circle);
        }
        List<Set<String>> largestFirst = new ArrayList<>(circles);
        largestFirst.sort(Comparator.<Set<String>>comparingInt(Set::size).reversed());
        return largestFirst;
    }

    private static Set<String> reached(String from, Map<String, Set<String>> dependencies) {
        Set<String> seen = new TreeSet<>();
        List<String> next = new ArrayList<>(List.of(from));
        while (!next.isEmpty()) {
            for (String on : dependencies.getOrDefault(next.remove(next.size() - 1), Set.of())) {
                if (seen.add(on)) {
                    next.add(on);
                }
            }
        }
        return seen;
    }

    @Test
    void noPackageHasALargerCircleThanItHad() {
        Map<String, Map<String, Set<String>>> packages = dependencies();
        Map<String, Integer> larger = new TreeMap<>();
        packages.forEach((name, dependencies) -> {
            int size = circles(dependencies).get(0).size();
            if (size > MOST) {
                larger.put(name, size);
            }
        });
        assertThat(larger).containsExactlyInAnyOrderEntriesOf(LARGER);
    }

    @Test
    void aCircleIsFoundThroughClassesBetween() {
        Map<String, Set<String>> dependencies = Map.of(
                "A", Set.of("B", "D"),
                "B", Set.of("C"),
                "C", Set.of("A"),
                "D", Set.of("E"),
                "E", Set.of("D"),
                "F", Set.of("A"));
        assertThat(circles(dependencies))
                .startsWith(Set.of("A", "B", "C"), Set.of("D", "E"))
                .contains(Set.of("F"));
    }
}
