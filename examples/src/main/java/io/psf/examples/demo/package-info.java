/**
 * A wide-and-deep click model whose parameters lie on the servers, trained on the Bank Marketing data. The data and the
 * model know nothing of psf; {@code Training} joins the two, {@code DemoWorker} runs it as a process, {@code DemoCommand}
 * starts the processes.
 */
@NullMarked
package io.psf.examples.demo;

import org.jspecify.annotations.NullMarked;
