/** LeNet-5 on MNIST, with every weight on the servers; one program for scheduler, servers and workers. */
@NullMarked
package io.psf.examples.lenet;

import org.jspecify.annotations.NullMarked;
