package io.rtransport.netty;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.rtransport.core.solicitation.CreditPool;
import io.rtransport.core.solicitation.NodeBudget;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.window.RetransmissionStore;

/**
 * The arrows of this module: the adapter knows core and Netty, its handlers and ports do not know
 * its channels.
 */
@AnalyzeClasses(packages = "io.rtransport.netty", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule OUTSIDE =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideOutsideOfPackages(
              "io.rtransport.core..", "io.rtransport.netty..", "io.netty..", "java..", "jdk.jfr..")
          .because("users get Netty and core, nothing else");

  @ArchTest
  static final ArchRule PORTS =
      noClasses()
          .that()
          .resideInAPackage("..netty.port..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.rtransport.netty", "..netty.handler..")
          .because("a port is below all of it");

  @ArchTest
  static final ArchRule HANDLERS =
      noClasses()
          .that()
          .resideInAPackage("..netty.handler..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.rtransport.netty", "..netty.port..")
          .because("a handler translates events to the verbs of its sublayer");

  @ArchTest
  static final ArchRule INTERNALS =
      noClasses()
          .that()
          .resideInAPackage("..netty.internal..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.rtransport.netty")
          .because("a channel stands on its loop, its files and its server's sockets");

  @ArchTest
  static final ArchRule UPCALLS =
      noClasses()
          .should()
          .implement(
              JavaClass.Predicates.resideInAPackage("io.rtransport.core..")
                  .and(
                      DescribedPredicate.not(
                          JavaClass.Predicates.belongToAnyOf(
                              PayloadSource.class, PushSupplier.class))))
          .because("core calls nobody but for payload and for small pushes that are ready");

  @ArchTest
  static final ArchRule INSIDE_OF_CORE =
      noClasses()
          .should()
          .dependOnClassesThat(
              JavaClass.Predicates.resideInAnyPackage(
                      "io.rtransport.core.window",
                      "io.rtransport.core.solicitation",
                      "io.rtransport.core.cam")
                  .and(
                      DescribedPredicate.not(
                          JavaClass.Predicates.belongToAnyOf(
                              RetransmissionStore.class,
                              NodeBudgets.class,
                              NodeBudget.class,
                              CreditPool.class))))
          .because("the adapter reads no PSN, window or stage of the core");

  @ArchTest
  static final ArchRule NO_CYCLES =
      slices().matching("io.rtransport.netty.(**)").should().beFreeOfCycles();
}
