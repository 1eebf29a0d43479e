package io.psf.dashboard;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.support.ui.WebDriverWait;

/** Chromium without a window. */
final class Browser implements AutoCloseable {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Duration LONG = Duration.ofMinutes(1);

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Opens a page. Skips the test where there is no Chromium. */
    static Browser open(String address) {
        assumeThat(CHROMIUM)
                .as("chromium: not found (expected: the packages chromium and chromium-driver, as .ci/run installs"
                        + " them)")
                .isExecutable();
        assumeThat(DRIVER)
                .as("chromedriver: not found (expected: the package chromium-driver, as .ci/run installs it)")
                .isExecutable();
        ChromeOptions options = new ChromeOptions()
                .setBinary(CHROMIUM.toString())
                .addArguments(
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--window-size=1300,1000");
        options.setCapability("goog:loggingPrefs", Map.of("browser", "ALL"));
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(DRIVER.toFile())
                .usingAnyFreePort()
                .build();
        Browser browser = new Browser(new ChromeDriver(service, options));
        browser.driver.get(address);
        return browser;
    }

    /** Returns the text of an element. */
    String text(String css) {
        return driver.findElement(By.cssSelector(css)).getText();
    }

    /** Waits until the text of an element contains another one. */
    void awaitText(String css, String part) {
        new WebDriverWait(driver, LONG, Duration.ofMillis(50))
                .withMessage(() -> css + ": " + script("return document.body.innerText"))
                .until(now -> now.findElements(By.cssSelector(css)).stream()
                        .anyMatch(each -> Objects.requireNonNull(each.getDomProperty("textContent"))
                                .contains(part)));
    }

    /** Waits until a script returns true. */
    void await(String script) {
        new WebDriverWait(driver, LONG, Duration.ofMillis(50)).until(now -> Boolean.TRUE.equals(script(script)));
    }

    /** Returns the texts of a row of a table, by the row's key. */
    List<String> row(String section, String key) {
        return driver.findElements(By.cssSelector("#" + section + " tr[data-key='" + key + "'] td")).stream()
                .map(each -> Objects.requireNonNull(each.getDomProperty("textContent")))
                .toList();
    }

    /** Runs a script in the page, and returns its result. */
    Object script(String script) {
        return Objects.requireNonNullElse(driver.executeScript(script), "null");
    }

    /** Presses keys in an element that has the focus then. */
    void press(String css, CharSequence... keys) {
        driver.findElement(By.cssSelector(css)).sendKeys(keys);
    }

    void resize(int width, int height) {
        driver.manage().window().setSize(new Dimension(width, height));
    }

    /** Prefers dark or light colours. */
    void prefer(String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /** Returns what the browser has complained about, such as refused scripts. */
    List<String> complaints() {
        return driver.manage().logs().get("browser").getAll().stream()
                .map(Object::toString)
                .filter(each -> !each.contains("favicon.ico"))
                .toList();
    }

    /** Writes a picture of the page if the build asks for one: {@code -Dpsf.pictures=DIRECTORY}. */
    void picture(String name) throws IOException {
        String folder = System.getProperty("psf.pictures", "");
        if (!folder.isEmpty()) {
            Files.createDirectories(Path.of(folder));
            Files.write(Path.of(folder, name), driver.getScreenshotAs(OutputType.BYTES));
        }
    }

    @Override
    public void close() {
        driver.quit();
    }
}
