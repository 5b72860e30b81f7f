/** What tests of several modules share: contracts with their canaries, and the house rules. */
package io.tenfold.testkit;
